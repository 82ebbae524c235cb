"""Fills a migrated, empty database with some of everything, by the code in the current folder and through its API."""

import io
import json
import os
import sys

sys.path.insert(0, os.getcwd())
os.environ["DJANGO_SETTINGS_MODULE"] = "cms_api.settings"


def main():
    import django

    django.setup()
    from django.apps import apps
    from django.contrib.auth import get_user_model
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.core.management import call_command
    from PIL import Image

    get_user_model().objects.create_superuser("root", "harbour-21", email="root@example.org")
    call_command("load_sample_site", stdout=io.StringIO())
    token = io.StringIO()
    call_command("create_api_key", "everything", all_scopes=True, stdout=token)
    call_command("create_api_key", "limited", scope=["Contents:read"], site=[1], stdout=io.StringIO())
    ask = Asking(token.getvalue().strip())

    news = apps.get_model("channels_app", "Channel").objects.get(index_name="news").pk
    contents = f"/api/v1/contents/1/{news}"
    made = [ask("post", contents, content(number))["id"] for number in range(12)]
    ask("put", f"{contents}/{made[0]}", {"title": "Another title", "content": "another body", "tags": "lamp"})
    ask("put", f"{contents}/{made[0]}", {"groupNameCollection": "甲", "isTop": True})
    ask("delete", f"{contents}/{made[1]}")
    ask("post", "/api/v1/contents/check", {"siteId": 1, "contents": [{"channelId": news, "id": made[3]}]})
    for name in ("Kept", "Trashed"):
        channel = ask("post", "/api/v1/channels/1", {"parentId": news, "channelName": name})["id"]
        ask("post", f"/api/v1/contents/1/{channel}", content(100))
    ask("delete", f"/api/v1/channels/1/{channel}")
    ask("post", f"/api/v1/channels/1/{channel - 1}/actions/move", {"parentId": 1})
    ask("put", f"/api/v1/channels/1/{news}", {"extra": 'odd "values" \\u0041 中', "description": ""})
    users = [ask("post", "/api/v1/users", user(number))["id"] for number in range(4)]
    picture = io.BytesIO()
    Image.new("RGB", (40, 30), "teal").save(picture, "PNG")
    ask("post", f"/api/v1/users/{users[0]}/avatar", files={"file": SimpleUploadedFile("a.png", picture.getvalue())})
    ask("post", f"/api/v1/users/{users[0]}/logs", {"action": "read", "summary": "a\nb\tc"})
    ask("delete", f"/api/v1/users/{users[1]}")
    ask("post", "/api/v1/administrators", {"userName": "编辑", "password": "harbour-two-2", "siteIdCollection": "1"})
    call_command("rotate_api_key", "limited", stdout=io.StringIO())


class Asking:
    """Requests to the API in this process; each must be answered with 200."""

    def __init__(self, token):
        from django.test import Client

        self.client = Client(headers={"X-SS-API-KEY": token}, SERVER_NAME="localhost")

    def __call__(self, method, path, body=None, files=None):
        """The value of the answer."""
        options = {"data": files} if files else {"data": json.dumps(body), "content_type": "application/json"}
        answer = getattr(self.client, method)(path, **options)
        assert answer.status_code == 200, (path, answer.content)
        return answer.json().get("value")


def content(number):
    """The members of a content, which is approved and in groups, depending on its number."""
    return {
        "title": f"标题 {number} é 𝄞",
        "content": "<p>\u2028 'x' \\ %s</p>" * 3,
        "tags": "海, sea" if number % 2 else "",
        "groupNameCollection": "甲,乙" if number % 3 else "",
        "isChecked": number % 4 == 0,
        "isHot": number % 5 == 0,
        "colour": f"红 {number}",
    }


def user(number):
    """The members of a user."""
    return {"userName": f"reader{number}", "password": "lantern-7-lamp", "email": f"r{number}@example.org"}


if __name__ == "__main__":
    main()
