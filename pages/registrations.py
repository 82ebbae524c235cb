from django.utils.translation import gettext_lazy as _

from core.lib.registrations import AuditSubject, MenuItem, SearchKind, StartCard

ERROR_MESSAGES = {
    "template_not_found": _("The template no longer exists."),
    "template_name_taken": _("The site already has a template of this type with this name."),
    "template_path_taken": _("Another template has this path."),
    "template_is_default": _("It is the default of its type. Make another template the default first."),
    "template_of_channels": _(
        "Channels use it: %(count)d, those in the trash included. Assign another template to them first."
    ),
    "template_included": _("These templates include it: %(names)s. Change them first."),
}

SUBJECTS = {
    "template": AuditSubject(65, _("Templates")),
}

ACTIONS = {
    "template.created": _("Template created"),
    "template.changed": _("Template changed"),
    "template.deleted": _("Template deleted"),
}

MENU = {
    "pages.Template": MenuItem("site", 30, _("Templates"), "templates"),
}

CARDS = {
    "pages.Template": StartCard(
        25,
        "templates",
        _("Templates"),
        _("See the templates of your sites' pages."),
        _("Change how the pages of your sites look."),
    ),
}

SEARCHES = {"templates": SearchKind(40, _("Templates"), "templates", "pages.admin.hits.templates")}
