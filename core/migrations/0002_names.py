from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('cms_api', '0001_initial'),
    ]

    operations = [
        migrations.RenameModel('SharedCount', 'SharedCounter'),
        migrations.RenameModel('KeptTable', 'PendingImport'),
        migrations.RenameModel('StoredAnswer', 'IdempotencyRecord'),
    ]
