from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('contents', '0003_listed_by_taxis'),
    ]

    operations = [
        migrations.CreateModel(
            name='TrashedContent',
            fields=[
            ],
            options={
                'verbose_name': 'content in the trash',
                'verbose_name_plural': 'contents in the trash',
                'proxy': True,
                'default_permissions': (),
                'indexes': [],
                'constraints': [],
            },
            bases=('contents.content',),
        ),
        migrations.AlterModelOptions(
            name='content',
            options={'permissions': [('approve_content', 'Can approve content'), ('restore_content', 'Can restore content from the trash'), ('purge_content', 'Can delete content for good')]},
        ),
    ]
