"""What `help` shows of the client."""

import inspect
import pydoc

import pytest
from cms_client import (
    AdministratorFilters,
    AsyncClient,
    Client,
    Content,
    ContentFilters,
    EntryFilters,
    MediaFilters,
    Page,
    Tagged,
    UserFilters,
)


@pytest.mark.parametrize("filters", [AdministratorFilters, ContentFilters, EntryFilters, MediaFilters, UserFilters])
def test_filters_are_explained(filters):
    names = filters.__annotations__.keys()
    assert len(names) > 6
    assert [name for name in names if name not in filters.__doc__] == []


def test_methods_show_their_parameters_and_public_types():
    with Client("http://127.0.0.1:1") as client:
        shown = inspect.signature(client.contents.list)
        assert shown.return_annotation == Page[Content]
        assert next(iter(shown.parameters)) == "site_id"
        assert "Operation" not in pydoc.render_doc(client.contents.list)
        assert str(inspect.signature(client.with_etags.contents.get).return_annotation) == str(Tagged[Content])
        assert "Iterator" in str(inspect.signature(client.contents.iterate).return_annotation)
    assert "Coroutine" in str(inspect.signature(AsyncClient("http://127.0.0.1:1").contents.get).return_annotation)


def test_a_page_is_a_sequence():
    page = Page([1, 2, 3], total=7)
    assert (page[0], page[-1], page[1:], len(page), page.total) == (1, 3, [2, 3], 3, 7)
