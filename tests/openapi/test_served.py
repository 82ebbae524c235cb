"""`GET /api/v1/openapi.json`"""

import json

from core.openapi.views import FILE

PATH = "/api/v1/openapi.json"


def test_answers_the_committed_document_and_names_the_time_zone(stranger, settings):
    settings.TIME_ZONE = "Asia/Shanghai"
    response = stranger.get(PATH)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    document, served = json.loads(FILE.read_bytes()), response.json()
    introduction = served["info"].pop("description")
    assert "(CMS_TIME_ZONE, here Asia/Shanghai)" in introduction
    assert document["info"].pop("description") == introduction.replace(", here Asia/Shanghai", "")
    assert served == document


def test_answers_304_to_whoever_has_it(stranger):
    tag = stranger.get(PATH).headers["ETag"]
    response = stranger.get(PATH, headers={"If-None-Match": tag})
    assert (response.status_code, response.content) == (304, b"")


def test_pages_of_other_origins_can_read_it(stranger):
    response = stranger.get(PATH, headers={"Origin": "https://example.org"})
    assert response.headers["Access-Control-Allow-Origin"] == "https://example.org"
