"""A file that one node replaces is new on the pages of the other at once."""

import json
import re
from base64 import b64encode

import pytest

from tests.media_library.uploads import picture
from tools.servers import Installation

pytestmark = [pytest.mark.large, pytest.mark.any_database]


def test_both_nodes_show_the_new_bytes_at_once(tmp_path):
    installation = Installation(tmp_path, sample_site=True)
    key = installation.manage("create_api_key", "media", "--all-scopes")
    headers = {"X-SS-API-KEY": key, "Content-Type": "application/json"}

    def send(node, path, size):
        body = {"name": "a.jpg", "content": b64encode(picture(size)).decode()}
        answer = node.request("POST", path, json.dumps(body).encode(), headers)
        assert answer.status_code == 200, answer.content
        return answer.json()["value"]

    with installation.serve(CMS_NODE_NAME="first") as first, installation.serve(CMS_NODE_NAME="second") as second:
        file = send(first, "/api/v1/media/1", (300, 200))
        contents = "/api/v1/contents/1/11"
        body = {"title": "Ship", "imageUrl": file["address"], "content": f'<img src="{file["address"]}">'}
        content = first.request("POST", contents, json.dumps(body | {"isChecked": True}).encode(), headers).json()
        page = content["value"]["navigationUrl"]

        def addresses(node):
            answer = node.request("GET", page, b"", {})
            assert answer.status_code == 200
            return set(re.findall(rf'[^"]*{file["path"].partition("/")[2]}[^"]*', answer.content.decode()))

        seen = [addresses(node) for node in (first, second) for _ in range(2)]
        assert seen == [seen[0]] * 4 and len(seen[0]) >= 1 and not any("v=" in each for each in seen[0])
        for size in ((310, 200), (320, 200)):
            send(first, f"/api/v1/media/1/{file['id']}/file", size)
            (address,) = now = addresses(second)
            assert now == addresses(first) and now not in seen
            seen.append(now)
            shown = second.request("GET", address, b"", {})
            assert shown.headers["Cache-Control"].endswith("immutable")
            assert shown.content == first.request("GET", address, b"", {}).content
