"""The form of a content, filled in as a browser would send it."""

import re

from tests.admin.pages.browsing import place, unrendered

PAGE = "contents_content"


def open_form(client, content):
    """The page of the form of a content, and what it would send unchanged."""
    answer = unrendered(client, place(PAGE, "change", content.pk))
    assert answer.status_code == 200
    return sent_by(answer.context_data["form"])


def open_new(client, channel):
    """What the form of a new content would send, empty."""
    answer = client.get(place(PAGE, "add"), {"channel": channel.pk})
    assert answer.status_code == 200
    return {"csrfmiddlewaretoken": str(answer.context["csrf_token"])} | sent_by(answer.context["form"])


def sent_by(form):
    """What a browser sends of a form as it is shown."""
    sent = {}
    for field in form:
        value = field.value()
        if field.widget_type == "checkbox":
            if value:
                sent[field.html_name] = "on"
        elif isinstance(value, list):
            sent[field.html_name] = value
        elif value is not None:
            shown = field.field.widget.format_value(value)
            text = shown[0] if isinstance(shown, list) else shown
            # As browsers send line ends.
            sent[field.html_name] = re.sub("\r\n|\r|\n", "\r\n", text or "")
    return sent


def change(client, content, **typed):
    """Open the form, type and save."""
    return save(client, content, open_form(client, content) | typed)


def save(client, content, sent):
    """Send the form of a content that is there."""
    return client.post(place(PAGE, "change", content.pk), sent)


def add(client, channel, **typed):
    """Open the form of a new content, type and save."""
    return save_new(client, channel, open_new(client, channel) | typed)


def save_new(client, channel, sent):
    """Send the form of a new content."""
    return client.post(f"{place(PAGE, 'add')}?channel={channel.pk}", sent)
