"""What the app registers with the shared parts (`cms_api.lib.registrations`)."""

from django.utils.translation import gettext_lazy as _

# Sentences for people, by the code of the error.
REFUSALS = {
    "too_many_jobs": _("%(most)d of your jobs wait or run already. Ask again when one of them has ended."),
}
