from django.utils.translation import gettext_lazy as _

from core.lib.registrations import AdminPage, AuditSubject, MenuItem, SearchKind, StartCard

SUMMARIES = {
    ("GET", "/stl/site"): _("returns a site or one of its values"),
    ("GET", "/stl/sites"): _("lists sites"),
    ("GET", "/stl/value"): _("returns a value of a site"),
}

ERROR_MESSAGES = {
    "type_not_taken": _("The site accepts only files of these types here: %(types)s."),
    "content_differs": _("The file's content does not match its name; it is not of the type %(type)s."),
    "animation_too_large": _("An animation may have at most %(side)d pixels on a side."),
    "pictures_busy": _("Too many pictures are being processed; try again in a moment."),
    "watermark_font_missing": _(
        "The watermark of the site cannot be drawn: no font on the server has all of its characters, "
        "such as “%(character)s”. Change “Text of the watermark” in the settings of the site, enter the "
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
        "The watermark of the site cannot be drawn: its picture is not a valid picture, has more than 4 "
        "million pixels or is larger than 5 MB. Change “Picture of the watermark” in the settings of the "
        "site."
    ),
    "storage_busy": _("The file storage is busy; try again in a moment."),
    "site_not_found": _("The site no longer exists."),
    "site_is_root": _("The root site cannot be deleted."),
    "site_has_sites": _("Other sites are below this site. Delete them first, or move them in their settings."),
    "last_site": _("The only site cannot be deleted."),
    "site_being_deleted": _("The site is being deleted permanently and cannot be restored."),
    "parent_site_in_trash": _("The site is below “%(name)s”, which is in the trash. Restore that site first."),
    "site_folder_taken": _("Another site has taken the folder “%(folder)s”."),
}

SUBJECTS = {
    "site": AuditSubject(50, _("Sites")),
}

ACTIONS = {
    "site.created": _("Site created"),
    "site.changed": _("Site changed"),
    "site.trashed": _("Site moved to the trash"),
    "site.restored": _("Site restored from the trash"),
    "site.purged": _("Site permanently deleted"),
    "site.exported": _("Site exported"),
    "site.imported": _("Site imported"),
    "site.templates_imported": _("Page templates imported"),
    "site.tree_mended": _("Channel tree repaired"),
}

MENU = {
    "cms_sites.Site": MenuItem("site", 90, _("Site settings"), "settings", "cms_sites_site_change"),
}

ADMIN_PAGES = {
    "switch_site": AdminPage("switch-site/", "sites.admin.menu.switch_view"),
}

CARDS = {
    "cms_sites.Site": StartCard(
        30,
        "sites",
        _("Sites"),
        _("See how your sites are set up."),
        _("Create or import sites, and set how each of them works."),
        _("Set how your sites work."),
    ),
}

SEARCHES = {"settings": SearchKind(60, _("Settings"), "settings", "sites.admin.hits.settings")}
