"""What tests of pages of records do with them."""

import re

from django.contrib.messages import get_messages
from django.urls import reverse

from core.audit.models import AuditEntry

UNRENDERED = "tests.unrendered"  # in the environment of a request: its page is not rendered
_BUTTON = re.compile(" <button.*?</button>")


def place(page, view="changelist", *arguments):
    """The address of a view of a page: `place("contents_content", "change", 7)`."""
    return reverse(f"admin:{page}_{view}", args=arguments)


def unrendered(browser, address, query=None):
    """The answer to GET without the text of the page; what the view gives to the template is in `context_data`."""
    return browser.get(address, query, **{UNRENDERED: True})


def listed(browser, page, **query):
    """The records that the list shows."""
    return list(unrendered(browser, place(page), query).context_data["cl"].result_list)


def act(browser, page, name, *records, **sent):
    """The answer to the action on the records, once it was asked for."""
    numbers = ",".join(str(record.pk) for record in records)
    return browser.post(place(page, "action", name), {"ids": numbers} | sent)


def told(response):
    """The messages that the next page shows, without their buttons."""
    return [_BUTTON.sub("", str(each)) for each in get_messages(response.wsgi_request)]


def undo_button(response):
    """What the button sends that the next page shows to take the action back: its address and its value."""
    messages = "".join(str(each) for each in get_messages(response.wsgi_request))
    found = re.findall('formaction="([^"]*)" name="undo" value="([^"]*)"', messages)
    return (found[-1][0], {"undo": found[-1][1]}) if found else None


def undo(browser, response):
    """The answer to the button that takes the action back."""
    address, sent = undo_button(response)
    browser.get(address.removesuffix("undo/"))  # the page on which the button is pressed
    return browser.post(address, sent)


def noted(action=None):
    """The acts in the audit since sites and channels were made, the oldest first."""
    entries = AuditEntry.objects.order_by("pk")
    return list(entries.filter(action=action) if action else entries)
