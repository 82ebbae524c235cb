"""The kinds of records that the index has: each is found by its own texts, also after a change."""

import pytest

from accounts.models import User
from channels_app.models import Channel
from channels_app.services import trash_channel
from contents.models import Content
from search.query import match
from search.rows import with_words
from search.sources import kinds, model_of
from search.words import read_words
from tests.factories import ChannelFactory, UserFactory
from tests.search.test_index import follow

pytestmark = pytest.mark.django_db


def found(kind, query):
    rows = model_of(kind)._default_manager.all()
    return set(with_words(kind, rows, query, lambda rows: pytest.fail("The index is not used.")))


@pytest.fixture(params=[True, False], ids=["followed", "read"])
def settle(request):
    follow()
    return follow if request.param else lambda: None


def test_the_index_has_contents_channels_files_and_users():
    assert kinds() == ["channel", "content", "media", "user"]


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("harb", True),
        ("ferry-index", True),
        ("boats", True),
        ("départ", True),
        ("渡轮", True),
        ("strong", False),
        ("quay", False),
    ],
)
def test_channels_are_found_by_names_keywords_descriptions_and_texts(settle, query, is_found):
    channel = ChannelFactory(
        channel_name="Harbour",
        index_name="ferry-index",
        keywords="boats",
        description="<p>Départs</p>",
        content="<strong>渡轮</strong>",
    )
    settle()
    assert found("channel", query) == ({channel} if is_found else set())


def test_a_channel_in_the_trash_is_not_found(settle):
    channel = ChannelFactory(channel_name="Harbour")
    follow()
    trash_channel(channel.site_id, channel.pk)
    settle()
    assert found("channel", "harbour") == set()


@pytest.mark.parametrize("query", ["anna", "berg", "港", "example.org anna", "0170"])
def test_users_are_found_by_names_addresses_and_numbers(settle, query):
    user = UserFactory(user_name="anna", display_name="A. Berg 港", email="anna@example.org", mobile="0170123")
    UserFactory(user_name="other")
    settle()
    assert found("user", query) == {user}
    User.objects.filter(pk=user.pk).update(user_name="x", display_name="", email="", mobile="")
    settle()
    assert found("user", query) == set()


def test_rows_are_narrowed_otherwise_while_the_index_is_built():
    rows = with_words("channel", Channel.objects.all(), "harbour", lambda rows: rows.filter(pk=0))
    assert match("channel", read_words("harbour")) is None
    assert not rows.exists()
    assert with_words("content", Content.objects.all(), "%", lambda rows: rows).query.is_empty()
