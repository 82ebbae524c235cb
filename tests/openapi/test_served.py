"""`GET /api/v1/openapi.json`"""

from cms_api.openapi.views import FILE

PATH = "/api/v1/openapi.json"


def test_answers_the_committed_document(stranger):
    response = stranger.get(PATH)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    assert response.content == FILE.read_bytes()


def test_answers_304_to_whoever_has_it(stranger):
    tag = stranger.get(PATH).headers["ETag"]
    response = stranger.get(PATH, headers={"If-None-Match": tag})
    assert (response.status_code, response.content) == (304, b"")


def test_pages_of_other_origins_can_read_it(stranger):
    response = stranger.get(PATH, headers={"Origin": "https://example.org"})
    assert response.headers["Access-Control-Allow-Origin"] == "https://example.org"
