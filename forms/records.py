"""Forms as pages show them."""

from collections.abc import Iterable

from forms.models import Field, Form
from pages.engine.source import FieldRecord, FormRecord


def find_form(site_id: int, name: str) -> FormRecord | None:
    """Return the form with the name in any letter case; without one, the newest of the site, as in SiteServer."""
    forms = Form.objects.filter(site_id=site_id)
    form = forms.filter(folded_name=name.casefold()).first() or forms.order_by("-pk").first()
    return record_of(form) if form else None


def shown_fields(form: Form) -> list[Field]:
    return list(form.fields.filter(is_visible=True))


def record_of(form: Form, fields: Iterable[Field] | None = None) -> FormRecord:
    return FormRecord(
        form.pk,
        form.name,
        [
            FieldRecord(
                *(field.key, field.label, field.kind, field.is_required, field.help_text, field.choices),
                default=field.default,
                is_listed=field.is_public,
            )
            for field in (shown_fields(form) if fields is None else fields)
        ],
        form.takes_entries,
        form.opens_at is not None or form.closes_at is not None,
        form.public_list != Form.PublicList.NONE,
        form.page_size,
        form.consent_text,
    )
