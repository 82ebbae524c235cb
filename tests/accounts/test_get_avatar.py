"""`GET /users/{id}/avatar`: open; tells where the picture is, and never whether there is such a user."""

import pytest

from tests.accounts.forms import file_part, keep_media_in, upload
from tests.accounts.picture_files import plain, saved
from tests.clients import ApiClient
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
DEFAULT = "http://testserver/media/avatars/default.png"


def ask(client, user_id, **options):
    return client.get(f"/api/v1/users/{user_id}/avatar", **options)


def test_the_address_of_an_uploaded_picture_is_absolute(api, stranger, settings, tmp_path):
    keep_media_in(settings, tmp_path)
    user = UserFactory(avatar_url="https://pictures.example/old.png")
    uploaded = upload(api, user.pk, file_part(saved(plain(), "PNG"))).json()["value"]["avatarUrl"]
    assert ask(stranger, user.pk).json() == {"value": uploaded}
    assert stranger.get(uploaded.removeprefix("http://testserver")).headers["Content-Type"] == "image/png"


@pytest.mark.parametrize(
    ("given", "answered"),
    [
        ("https://pictures.example/a.png", "https://pictures.example/a.png"),
        ("http://pictures.example/a.png", "http://pictures.example/a.png"),
        ("HTTPS://pictures.example/a.png", "HTTPS://pictures.example/a.png"),
        ("//pictures.example/a.png", "http://pictures.example/a.png"),
        ("/sitefiles/a.png", "http://testserver/sitefiles/a.png"),
        ("sitefiles/a.png", "http://testserver/sitefiles/a.png"),
        ("@/upload/a.png", "http://testserver/upload/a.png"),
        ("~/upload/a.png", "http://testserver/upload/a.png"),
        ("/图 片.png?a=1#b", "http://testserver/图 片.png?a=1#b"),
        ("", DEFAULT),
    ],
)
def test_a_given_address_gets_scheme_and_host(stranger, given, answered):
    user = UserFactory(avatar_url=given)
    assert ask(stranger, user.pk).json() == {"value": answered}


def test_scheme_and_host_are_those_of_the_request(stranger):
    user = UserFactory(avatar_url="/a.png")
    response = ask(stranger, user.pk, secure=True, headers={"Host": "localhost:8443"})
    assert response.json() == {"value": "https://localhost:8443/a.png"}


def test_an_unknown_user_and_one_without_a_picture_are_answered_alike(stranger):
    answers = [ask(stranger, user_id) for user_id in (UserFactory().pk, 0, 10**15, 2**63 - 1)]
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.content for answer in answers} == {b'{"value":"%s"}' % DEFAULT.encode()}
    numberless = [{**answer.headers, "X-Request-Id": ""} for answer in answers]
    assert all(headers == numberless[0] for headers in numberless)


def test_an_unknown_user_costs_the_same_statements(stranger, django_assert_num_queries):
    for user_id in (UserFactory().pk, 0):
        with django_assert_num_queries(1):
            ask(stranger, user_id)


def test_a_good_and_a_bad_key_do_no_harm(stranger, client_with_key):
    user = UserFactory()
    expected = ask(stranger, user.pk).content
    for client in (client_with_key(scopes=""), ApiClient("nonsense")):
        assert ask(client, user.pk).content == expected
    assert ask(stranger, user.pk, query_params={"apiKey": "nonsense"}).content == expected


def test_the_default_picture_is_there(stranger):
    response = stranger.get(DEFAULT.removeprefix("http://testserver"))
    assert (response.status_code, response.headers["Content-Type"]) == (200, "image/png")


def test_pictures_may_stand_at_another_address_while_the_default_stays_here(api, settings, tmp_path):
    keep_media_in(settings, tmp_path)
    settings.MEDIA_URL = "https://cdn.example/cms/"
    user = UserFactory()
    assert ask(api, user.pk).json() == {"value": DEFAULT}
    url = upload(api, user.pk, file_part(saved(plain(), "PNG"))).json()["value"]["avatarUrl"]
    assert url.startswith("https://cdn.example/cms/avatars/")
    assert ask(api, user.pk).json() == {"value": url}
