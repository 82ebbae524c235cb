from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

_NO_RULE = _(
    'A rule must end in a file extension, such as .html, and must not contain " < > ? # % or ".." as a folder.'
)
_NO_PATH = _('A path must not contain " < > | ? # % or ".." as a folder.')
_NO_ADDRESS = _("An address must not begin with javascript: or data:.")
SENTENCES = {
    "channel_file_path_rule": _NO_RULE,
    "content_file_path_rule": _NO_RULE,
    "file_path": _NO_PATH,
    "image_url": _NO_ADDRESS,
    "link_url": _NO_ADDRESS,
}
HELP = {
    "index_name": _("A short name by which templates find the channel; no other channel of the site may have it."),
    "group_name_collection": _("Separate several by commas."),
    "image_url": _("Web address of a picture; @/ stands for the folder of the site."),
    "link_type": _("Where the channel's name links to on the website."),
    "link_url": _("Links to another page instead of the channel's own; leave it empty for the channel's own page."),
    "file_path": _("Path of the page in the site, such as /news/index.html; leave it empty to follow the rule."),
    "channel_file_path_rule": _(
        "Names the page of this channel and those of the channels below it, unless they have a rule of their own. "
        "Empty: the rule of the channel above."
    ),
    "content_file_path_rule": _(
        "Names the pages of content items, also in the channels below. Empty: the rule of the channel above."
    ),
    "keywords": _("For search engines; separate several by commas."),
    "description": _("For search engines: what the channel is about, in a sentence or two."),
    "channel_template_id": _("Makes the page of the channel."),
    "content_template_id": _("Makes the pages of its content items."),
    "content_model_plugin_id": _("Name of the extension that content items of this channel belong to; usually empty."),
    "content_related_plugin_ids": _("Names of further extensions, separated by commas; usually empty."),
}
# Labels of choices; the stored values stay.
CHOICES: dict[str, dict[Any, Any]] = {
    "comments": {
        "": pgettext_lazy("setting", "As above"),
        "Off": pgettext_lazy("setting", "Nobody"),
        "Members": pgettext_lazy("setting", "Users who have signed in"),
        "Everybody": pgettext_lazy("setting", "Everybody"),
    },
    "defaultTaxisType": {
        "OrderById": pgettext_lazy("order of contents", "ID, smallest first"),
        "OrderByIdDesc": pgettext_lazy("order of contents", "ID, largest first"),
        "OrderByChannelId": pgettext_lazy("order of contents", "Channel ID, smallest first"),
        "OrderByChannelIdDesc": pgettext_lazy("order of contents", "Channel ID, largest first"),
        "OrderByAddDate": pgettext_lazy("order of contents", "Date, oldest first"),
        "OrderByAddDateDesc": pgettext_lazy("order of contents", "Date, newest first"),
        "OrderByLastEditDate": pgettext_lazy("order of contents", "Last edited, oldest first"),
        "OrderByLastEditDateDesc": pgettext_lazy("order of contents", "Last edited, newest first"),
        "OrderByTaxis": pgettext_lazy("order of contents", "As arranged, from the end"),
        "OrderByTaxisDesc": pgettext_lazy("order of contents", "As arranged"),
        "OrderByHits": pgettext_lazy("order of contents", "Most viewed"),
        "OrderByHitsByDay": pgettext_lazy("order of contents", "Most viewed today"),
        "OrderByHitsByWeek": pgettext_lazy("order of contents", "Most viewed this week"),
        "OrderByHitsByMonth": pgettext_lazy("order of contents", "Most viewed this month"),
        "OrderByRandom": pgettext_lazy("order of contents", "Random"),
    },
    "transType": {
        0: pgettext_lazy("transfer", "Nowhere"),
        1: pgettext_lazy("transfer", "Within this site"),
        2: pgettext_lazy("transfer", "To a specific site"),
        3: pgettext_lazy("transfer", "To the site above"),
        4: pgettext_lazy("transfer", "To all sites above"),
        5: pgettext_lazy("transfer", "To every site"),
    },
    "transDoneType": {
        0: pgettext_lazy("transfer", "Copy"),
        1: pgettext_lazy("transfer", "Move"),
        2: pgettext_lazy("transfer", "Link to the original's address"),
        3: pgettext_lazy("transfer", "Show the original's text"),
    },
}
