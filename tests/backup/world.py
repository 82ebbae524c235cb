"""Fills a database with some of everything: `python -m tests.backup.world`. Prints the token of a key, as JSON."""

import json
import sys

import django


def main():
    django.setup()
    from django.contrib.admin.models import LogEntry
    from django.contrib.auth.models import Group, Permission
    from django.contrib.contenttypes.models import ContentType
    from django.contrib.sessions.models import Session
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.core.management import call_command
    from django.test import Client
    from django.utils import timezone

    from accounts.models import Administrator, User, UserLog
    from apikeys.models import ApiKey
    from channels_app.models import Channel
    from contents.models import Content, CustomField
    from forms import entry_files
    from forms.models import Entry, EntryFile, Field, Form
    from sites.models import Site
    from tests.accounts.picture_files import plain, saved
    from tests.factories import ContentFactory

    root = Administrator.objects.create_superuser("root", "harbour-21", email="root@example.org")
    call_command("load_sample_site", stdout=sys.stderr)
    scopes = (
        "Channels:write,Contents:write,Media:write,Administrators:write,Users:write,STL:write,SQL:write,System:write"
    )
    _, token = ApiKey.objects.issue("everything", root, scopes=scopes)
    limited, _ = ApiKey.objects.issue("limited", root, scopes="Contents:read", site_ids="1")
    limited.revoke()
    editor = Administrator.objects.create_user("编辑", "harbour-22", site_id_collection="1")
    group = Group.objects.create(name="Writers")
    group.permissions.set(Permission.objects.filter(codename__in=["add_content", "approve_content"]))
    editor.groups.add(group)
    editor.user_permissions.set(Permission.objects.filter(codename="change_channel"))
    LogEntry.objects.create(
        user=root,
        content_type=ContentType.objects.get_for_model(Content),
        object_id="1",
        object_repr="1",
        action_flag=2,
    )
    Session.objects.create(session_key="s" * 32, session_data="signed-in", expire_date=timezone.now())

    def ask(method, path, body=None, **options):
        if body is not None:
            options = {"data": json.dumps(body), "content_type": "application/json"}
        client = Client(headers={"X-SS-API-KEY": token}, SERVER_NAME="localhost")
        answer = getattr(client, method)(f"/api/v1/{path}", **options)
        assert answer.status_code == 200, answer.content
        return answer.json().get("value")

    site = Site.objects.get()
    channel = Channel.objects.in_site(site.pk).get(index_name="news")
    address = f"contents/{site.pk}/{channel.pk}"
    made = [
        ask(
            "post",
            address,
            {
                "title": f"标题 {number} é 𝄞",
                "content": "<p>\u2028 'x' \\ %s</p>" * 3,
                "tags": "海,sea",
                "groupNameCollection": "甲,乙",
                "isChecked": number % 2 == 0,
                "colour": f"红 {number}",
            },
        )
        for number in range(6)
    ]
    ask("put", f"{address}/{made[0]['id']}", {"title": "Another title", "content": "another body"})
    ask("delete", f"{address}/{made[1]['id']}")
    later = {"publishAt": "2126-01-01 08:00:00", "unpublishAt": "2126-02-01 08:00:00"}
    ask("put", f"{address}/{made[2]['id']}", {"isDraft": True, "title": "Rückseite", "content": "<p>草稿</p>"} | later)
    ask("post", "webhooks", {"name": "Index", "url": "https://hooks.example.org/?a=b", "siteId": site.pk})
    ask("put", f"channels/{site.pk}/{channel.pk}", {"extra": 'odd "values" \\u0041 中', "description": ""})
    other = ask("post", f"channels/{site.pk}", {"parentId": channel.pk, "channelName": "Trashed"})
    ask("delete", f"channels/{site.pk}/{other['id']}")
    for number in range(3):
        ask("post", "users", {"userName": f"reader{number}", "password": "lantern7", "email": f"r{number}@example.org"})
    picture = SimpleUploadedFile("a.png", saved(plain((960, 640)), "PNG"), "image/png")
    ask("post", f"users/{User.objects.first().pk}/avatar", data={"file": picture})
    UserLog.objects.create(user=User.objects.first(), user_name="reader0", action="read", summary="a\nb\tc\r\n")
    CustomField.objects.filter(site=site).update(label="颜色", choices="红\n蓝")
    form = Form.objects.create(site=site, name="联系", success_text="谢谢")
    field = Field.objects.create(form=form, key="Mail", label="E-Mail", rules=[{"type": "Email"}])
    entry = Entry.objects.create(form=form, values={str(field.pk): "ada@example.org"})
    with entry_files.stored() as stored:
        stored.append(
            EntryFile(form=form, entry=entry, field_id=field.pk, name="简历.txt", size=3, media_type="text/plain")
        )
        entry_files.write(stored[0], b"cv\n")
        stored[0].save()
    # Numbers that were given out and are not to be seen any more.
    for content in (ContentFactory(channel=channel), ContentFactory(channel=channel)):
        Content.objects.filter(pk=content.pk).delete() if content.body.delete() else None
    User.objects.create(user_name="gone", password="!").delete()
    print(json.dumps(token))


if __name__ == "__main__":
    main()
