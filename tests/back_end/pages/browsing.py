"""What tests of pages of records do with them."""

from django.contrib.messages import get_messages
from django.urls import reverse

from cms_api.models import AuditEntry


def place(page, view="changelist", *arguments):
    """The address of a view of a page: `place("contents_content", "change", 7)`."""
    return reverse(f"admin:{page}_{view}", args=arguments)


def listed(browser, page, **query):
    """The records that the list shows."""
    return list(browser.get(place(page), query).context["cl"].result_list)


def act(browser, page, name, *records, **sent):
    """The answer to the act on the records, once it was asked for."""
    numbers = ",".join(str(record.pk) for record in records)
    return browser.post(place(page, "act", name), {"ids": numbers} | sent)


def told(response):
    """The messages that the next page shows."""
    return [str(each) for each in get_messages(response.wsgi_request)]


def noted(action=None):
    """The acts in the audit since sites and channels were made, the oldest first."""
    entries = AuditEntry.objects.order_by("pk")
    return list(entries.filter(action=action) if action else entries)
