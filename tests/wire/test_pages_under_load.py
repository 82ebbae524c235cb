"""Pages while many are asked for at once, so that requests share what one of them reads."""

import json
import threading

import pytest

from tools.servers import Installation

pytestmark = [pytest.mark.large, pytest.mark.any_database]
SITE, NEWS = 1, 11
WRITERS, CHANGES, READERS = 3, 10, 5


def test_a_client_sees_each_of_its_changes_in_the_page_that_it_asks_for_next(tmp_path):
    installation = Installation(tmp_path, sample_site=True)
    key = installation.manage("create_api_key", "writer", "--all-scopes")
    headers = {"X-SS-API-KEY": key, "Content-Type": "application/json"}
    is_done, older = threading.Event(), []
    with installation.serve() as server, server.client(key) as client:
        contents = client.contents.list(site_id=SITE, channel_id=NEWS, per_page=WRITERS).records

        def write(content):
            place, page = f"/api/v1/contents/{SITE}/{content['channelId']}/{content['id']}", content["navigationUrl"]
            for number in range(CHANGES):
                title = f"Version {number} of {content['id']}."
                body = json.dumps({"title": title}).encode()
                assert server.request("PUT", place, body, headers).status_code == 200
                shown = server.request("GET", page).content
                if title.encode() not in shown:
                    older.append(title)

        def read():
            while not is_done.is_set():
                for content in contents:
                    server.request("GET", content["navigationUrl"])

        readers = [threading.Thread(target=read) for _ in range(READERS)]
        writers = [threading.Thread(target=write, args=[content]) for content in contents]
        for thread in (*readers, *writers):
            thread.start()
        for thread in writers:
            thread.join()
        is_done.set()
        for thread in readers:
            thread.join()
    assert len(contents) == WRITERS
    assert older == []
