"""`manage.py rotate_api_key`."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apikeys import tokens
from apikeys.models import ApiKeyToken
from core.lib import clock
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import ApiKeyFactory

PATH = "/api/v1/contents/0/0/0"
pytestmark = pytest.mark.django_db


def rotate(*arguments):
    """The token that the command prints."""
    out, err = StringIO(), StringIO()
    call_command("rotate_api_key", *arguments, stdout=out, stderr=err)
    token, end, rest = out.getvalue().partition("\n")
    assert (end, rest, err.getvalue()) == ("\n", "", "")
    assert tokens.is_well_formed(token)
    return token


@pytest.mark.parametrize("arguments", [[], ["--overlap", "0"], ["--overlap", "0m"]])
def test_prints_the_new_token_alone_and_ends_the_old_one_at_once(arguments):
    key = ApiKeyFactory(name="news robot")
    token = rotate("news robot", *arguments)
    assert_error(ApiClient(token).get(PATH), 404, "site_not_found")
    assert_error(ApiClient(key.token).get(PATH), 401, "key_unknown")


@pytest.mark.parametrize(
    ("overlap", "length"),
    [("30m", timedelta(minutes=30)), ("24h", timedelta(hours=24)), ("7d", timedelta(days=7))],
)
def test_keeps_the_old_token_for_the_overlap(monkeypatch, overlap, length):
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    key = ApiKeyFactory(name="news robot")
    token = rotate("news robot", "--overlap", overlap)
    assert_error(ApiClient(token).get(PATH), 404)
    assert_error(ApiClient(key.token).get(PATH), 404)
    assert ApiKeyToken.objects.get(public_part=key.token[5:13]).valid_until == now + length


REFUSED = [
    (["nobody"], "There is no API key named 'nobody'."),
    (["robot", "--overlap", "soon"], "'soon' is not a duration; write 30m, 24h or 7d."),
    (["robot", "--overlap=-1h"], "'-1h' is not a duration"),
    (["revoked"], "The API key 'revoked' has been revoked; create a new one."),
    ([], "the following arguments are required: NAME"),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED, ids=lambda part: " ".join(part)[:40])
def test_what_cannot_be_done_is_said_in_a_sentence_and_changes_no_key(arguments, sentence):
    ApiKeyFactory(name="robot")
    ApiKeyFactory(name="revoked").revoke()
    before = sorted(ApiKeyToken.objects.values_list())
    out = StringIO()
    with pytest.raises(CommandError) as raised:
        call_command("rotate_api_key", *arguments, stdout=out)
    assert sentence in str(raised.value)
    assert out.getvalue() == ""
    assert sorted(ApiKeyToken.objects.values_list()) == before


def test_help_tells_all_options(capsys):
    with pytest.raises(SystemExit):
        call_command("rotate_api_key", "--help")
    shown = capsys.readouterr().out
    assert "NAME" in shown
    assert "--overlap 0|30m|24h|7d" in shown
