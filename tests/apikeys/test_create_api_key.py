"""`manage.py create_api_key`."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apikeys import tokens
from apikeys.models import ApiKey
from apikeys.scopes import Scope
from core.lib import clock
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory, SiteFactory
from tests.wire.addresses import single

pytestmark = pytest.mark.django_db


def create(*arguments):
    """The token and the key that the command makes."""
    out, err = StringIO(), StringIO()
    call_command("create_api_key", *arguments, stdout=out, stderr=err)
    token, end, rest = out.getvalue().partition("\n")
    assert (end, rest) == ("\n", "")
    assert tokens.is_well_formed(token)
    return token, ApiKey.objects.get(name=arguments[0]), err.getvalue()


@pytest.fixture
def root():
    return AdministratorFactory(user_name="root")


def test_prints_the_token_alone_and_it_opens_what_was_asked_for(root):
    content = ContentFactory()
    token, key, err = create("news robot", "--scope", "Contents:read")
    assert err == ""
    assert ApiClient(token).get(single(content)).status_code == 200
    assert_error(ApiClient(token).put(single(content), {}), 401, "scope_missing")
    assert (key.name, key.scopes, key.site_ids, key.expires_at) == ("news robot", "Contents:read", "", None)


@pytest.mark.parametrize(
    ("arguments", "scopes"),
    [
        (["--scope", "Contents"], "Contents:write"),
        (["--scope", "contents:READ"], "Contents:read"),
        (["--scope", "STL:read", "--scope", "Contents:write"], "Contents:write,STL:read"),
        (["--scope", "STL:read", "--scope", "STL"], "STL:write"),
        (["--all-scopes"], ",".join(f"{scope.value}:write" for scope in Scope)),
    ],
)
def test_takes_scopes_write_being_the_default(root, arguments, scopes):
    assert create("robot", *arguments)[1].scopes == scopes


def test_a_key_without_scopes_opens_nothing_and_the_command_says_so(root):
    token, key, err = create("robot")
    assert key.scopes == ""
    assert "has no scope" in err
    assert_error(ApiClient(token).get("/api/v1/contents/1/1/1"), 401, "scope_missing")


def test_takes_sites(root):
    one, two = SiteFactory(), SiteFactory()
    arguments = ["--site", str(two.pk), "--site", str(one.pk), "--site", str(two.pk)]
    _, key, _ = create("robot", "--scope", "Contents", *arguments)
    assert key.parse_site_ids() == {one.pk, two.pk}


def test_the_owner_is_the_first_active_administrator_of_the_highest_rank():
    AdministratorFactory(is_superuser=False)
    AdministratorFactory(is_locked_out=True)
    first = AdministratorFactory()
    AdministratorFactory()
    assert create("robot")[1].administrator == first


@pytest.mark.parametrize("user_name", ["mary", "Mary", "MARY"])
def test_the_owner_can_be_named_in_any_letter_case(root, user_name):
    mary = AdministratorFactory(user_name="Mary", is_superuser=False)
    assert create("robot", "--scope", "STL", "--administrator", user_name)[1].administrator == mary


def test_takes_an_end(root, monkeypatch):
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    assert create("one", "--expires", "90d")[1].expires_at == now + timedelta(days=90)
    assert create("two", "--expires", "2999-01-31")[1].expires_at.isoformat() == "2999-01-31T00:00:00"


def test_options_can_be_given_by_code(root):
    out = StringIO()
    call_command("create_api_key", "robot", all_scopes=True, stdout=out)
    assert tokens.is_well_formed(out.getvalue().strip())


REFUSED = [
    (["taken"], "An API key named 'taken' already exists; rotate it or choose another name."),
    ([""], "This field cannot be blank."),
    (["x" * 201], "Ensure this value has at most 200 characters (it has 201)."),
    (["robot", "--scope", "Content"], "'Content' is not a scope. Scopes are Channels, Contents, "),
    (["robot", "--scope", "Contents:all"], "'Contents:all' is not a scope."),
    (["robot", "--all-scopes", "--scope", "STL"], "not allowed with argument"),
    (["robot", "--scope", "STL", "--site", "1000000"], "There is no site 1000000."),
    (["robot", "--scope", "STL", "--site", "9" * 30], f"There is no site {'9' * 30}."),
    (["robot", "--scope", "STL", "--site", "one"], "invalid int value: 'one'"),
    (["robot", "--administrator", "nobody"], "There is no administrator named 'nobody'."),
    (["robot", "--administrator", "locked"], "The administrator 'locked' is locked, so the key would be rejected."),
    (
        ["robot", "--administrator", "ordinary", "--scope", "Users"],
        "Only a key whose owner is a superuser",
    ),
    (["robot", "--expires", "soon"], "'soon' is neither a duration such as 90d nor a date"),
    (["robot", "--expires", "2020-01-01"], "'2020-01-01' is not in the future."),
    (["robot", "--requests-per-minute=-1"], "--requests-per-minute must be a number from 0 (no limit) to 1000000."),
    (["robot", "--requests-per-minute=1000001"], "--requests-per-minute must be a number from 0"),
    ([], "the following arguments are required: NAME"),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED, ids=lambda part: " ".join(part)[:40])
def test_what_cannot_be_done_is_said_in_a_sentence_and_makes_no_key(root, capsys, arguments, sentence):
    ApiKeyFactory(name="taken", administrator=root)
    AdministratorFactory(user_name="locked", is_locked_out=True)
    AdministratorFactory(user_name="ordinary", is_superuser=False)
    out = StringIO()
    with pytest.raises(CommandError) as raised:
        call_command("create_api_key", *arguments, stdout=out)
    assert sentence in str(raised.value)
    assert out.getvalue() == ""
    assert ApiKey.objects.count() == 1


def test_takes_a_limit_of_requests(root):
    assert create("limited", "--requests-per-minute", "600")[1].requests_per_minute == 600
    assert create("any number", "--requests-per-minute", "0")[1].requests_per_minute == 0
    assert create("as the others")[1].requests_per_minute is None


@pytest.mark.parametrize("scope", ["Users", "Administrators", "System"])
def test_sites_and_a_scope_that_belongs_to_no_site_exclude_each_other(root, scope):
    site = SiteFactory()
    with pytest.raises(CommandError, match=f"A key limited to sites cannot have the scope {scope}."):
        create("robot", "--scope", scope, "--site", str(site.pk))


def test_without_an_active_administrator_of_the_highest_rank_it_says_how_to_make_one():
    AdministratorFactory(is_superuser=False)
    AdministratorFactory(is_locked_out=True)
    with pytest.raises(CommandError, match="create one with createsuperuser"):
        create("robot")


def test_help_tells_all_options(capsys):
    with pytest.raises(SystemExit):
        call_command("create_api_key", "--help")
    shown = capsys.readouterr().out
    for word in (
        "NAME",
        "--scope",
        "--all-scopes",
        "--site",
        "--administrator",
        "--expires",
        "--requests-per-minute",
        *(s.value for s in Scope),
    ):
        assert word in shown
