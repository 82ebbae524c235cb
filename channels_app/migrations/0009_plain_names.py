from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('channels_app', '0008_settings_text'),
    ]

    operations = [
        migrations.AlterField(
            model_name='channel',
            name='link_type',
            field=models.CharField(choices=[('None', 'Its own page'), ('NoLinkIfContentNotExists', 'No link without content items'), ('LinkToOnlyOneContent', 'To its only content item'), ('NoLinkIfContentNotExistsAndLinkToOnlyOneContent', 'No link without content items, else to its only one'), ('LinkToFirstContent', 'To its first content item'), ('NoLinkIfContentNotExistsAndLinkToFirstContent', 'No link without content items, else to its first one'), ('NoLinkIfChannelNotExists', 'No link without channels below'), ('LinkToLastAddChannel', 'To the channel below that was added last'), ('LinkToFirstChannel', 'To the first channel below'), ('NoLinkIfChannelNotExistsAndLinkToLastAddChannel', 'No link without channels below, else to the one added last'), ('NoLinkIfChannelNotExistsAndLinkToFirstChannel', 'No link without channels below, else to the first one'), ('NoLink', 'No link')], default='None', max_length=60, verbose_name='kind of link'),
        ),
    ]
