"""Data that the app registers with the shared parts (`cms_api.lib.registrations`)."""

from django.utils.translation import gettext_lazy as _

# Operations of the API: method and path below /api/v1 → what it does, in the words of the README.
SUMMARIES = {
    ("GET", "/stl/site"): _("reads a site, or with type one of its values as a text"),
    ("GET", "/stl/sites"): _("lists sites"),
    ("GET", "/stl/value"): _("reads a value of a site as a text"),
}

# Sentences for people, by the code of the error.
REFUSALS = {
    "type_not_taken": _("The site does not take files of this type here, but: %(types)s."),
    "content_differs": _("The file does not hold what its name says; it is not of the type %(type)s."),
    "animation_too_large": _("An animation may have %(side)d pixels on a side at most."),
    "pictures_busy": _("Many pictures are being taken in at once; try again in a moment."),
    "watermark_font_missing": _(
        "The watermark of the site cannot be drawn: no font that was found on the server has all of its "
        "characters, such as “%(character)s”. Change “Text of the watermark” in the settings of the site, enter the "
        "file of a font that has them as “Font of the watermark”, or have such a font installed."
    ),
    "watermark_unwritable": _(
        "The watermark of the site cannot be drawn in its font. Change “Font of the watermark” in the settings of the "
        "site."
    ),
    "watermark_missing": _(
        "The watermark of the site cannot be drawn: the site has no file %(address)s. Change “Picture of the "
        "watermark” in its settings."
    ),
    "watermark_unreadable": _(
        "The watermark of the site cannot be drawn: its picture is none, has more than 4 million pixels, or more than "
        "5 MB. Change “Picture of the watermark” in the settings of the site."
    ),
    "storage_busy": _("The store of files is busy; try again in a moment."),
    "site_not_found": _("The site is not there any more."),
}

# Kinds of objects in the audit: the part of an action before the dot → place in the list, words.
SUBJECTS = {
    "site": (50, _("Sites")),
}

# Actions in the audit: name → label (docs/audit.md says when each is written).
ACTIONS = {
    "site.created": _("Site created"),
    "site.changed": _("Site changed"),
    "site.imported": _("Site imported"),
    "site.tree_mended": _("Tree of channels mended"),
}

# Cards of the start page: model → place, drawing, title, and the sentences for who may look, add, and change.
CARDS = {
    "cms_sites.Site": (
        30,
        "sites",
        _("Sites"),
        _("See how your sites are set up."),
        _("Make a site, bring in another one, and set how each of them works."),
        _("Set how your sites work."),
    ),
}
