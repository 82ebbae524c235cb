from django.utils.translation import gettext_lazy as _

ERROR_MESSAGES = {
    "copy_changed": _(
        "Someone has changed the copy, so it was not removed. To remove it anyway, move the channel to the trash."
    ),
    "copy_target_outside": _("You may not add channels or content items there."),
    "copy_undo_late": _(
        "An hour has passed, so this can no longer be undone. To remove the copy, move the channel to the trash."
    ),
    "too_much_to_copy": _("At most %(channels)d channels and %(contents)d content items can be copied together."),
}
