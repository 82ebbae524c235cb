from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('contents', '0007_content_changes'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='content',
            options={'permissions': [('approve_content', 'Can approve content at every level'), ('approve1_content', 'Can approve content up to level 1'), ('approve2_content', 'Can approve content up to level 2'), ('approve3_content', 'Can approve content up to level 3'), ('approve4_content', 'Can approve content up to level 4'), ('restore_content', 'Can restore content from the trash'), ('purge_content', 'Can delete content for good')], 'verbose_name': 'content', 'verbose_name_plural': 'contents'},
        ),
    ]
