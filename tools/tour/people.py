"""The people who work on the site, and their work before the tour begins."""

import json
from dataclasses import dataclass

PASSWORD = "low-water-7"
WRITER, EDITOR, KEEPER = "shen.qiao", "lin.yue", "gu.chuan"

_ACCOUNTS = """
import json
from django.contrib.auth.models import Group, Permission
from accounts.administrator_services import RoleAssignment, appoint
from accounts.models import Administrator
from accounts.services import create_user
from core.audit import Actor, acting_as, record
from core.admin.ranks import Rank
from channels_app.models import Channel
from contents.models import Content

def group(name, *rights):
    made = Group.objects.create(name=name)
    for label, codename in (right.split(".") for right in rights):
        made.permissions.add(Permission.objects.get(content_type__app_label=label, codename=codename))
    return made

def person(name, display, office):
    values = {"user_name": name, "display_name": display, "email": f"{name}@example.org", "password": PASSWORD}
    return appoint(values, office)

SEE = "contents.view_content", "contents.add_content", "contents.change_content", "channels_app.view_channel"
first = Administrator.objects.get()
with acting_as(Actor("administrator", first.pk, first.user_name)):
    writers = group("Writers 撰稿", *SEE)
    editors = group("Editors 编辑", *SEE, "contents.approve1_content", "contents.delete_content")
    reading = group("Reading room 阅览室", "accounts.view_user", "accounts.approve_user", "accounts.add_user")
    person(WRITER, "Shen Qiao 沈桥", RoleAssignment(Rank.ORDINARY, groups=[writers]))
    person(EDITOR, "Lin Yue 林悦", RoleAssignment(Rank.ORDINARY, groups=[editors, reading]))
    person(KEEPER, "Gu Chuan 顾川", RoleAssignment(Rank.SITES, site_ids=[SITE]))
    for number, (name, display, place) in enumerate(USERS):
        create_user({
            "user_name": name, "display_name": display, "email": f"{name}@example.net", "organization": place,
            "is_checked": number % 5 != 3, "is_locked_out": number == 6, "password": PASSWORD,
        })
print(json.dumps({
    "contents": dict(Content.objects.values_list("title", "pk")),
    "channels": dict(Channel.objects.values_list("index_name", "pk")),
}))
"""
_USERS = (
    ("heron", "Heron 苍鹭", "Friends of the museum"),
    ("tidewatch", "Tide watch", "Tide gauge house"),
    ("潮汐观察员", "潮汐观察员", "望汐港志愿者"),
    ("new.reader", "A new reader", ""),
    ("saltroad", "Salt road 盐路", "Reading room 阅览室"),
    ("xiaodeng", "小灯塔", "海港小学"),
    ("far.offer", "Far offer", ""),
    ("north.bank", "North Bank 北岸", "Ferry users' group"),
)


@dataclass(frozen=True)
class World:
    """The ids of records in the sample site: contents by their titles, channels by their index names."""

    site: int
    contents: dict[str, int]
    channels: dict[str, int]


def people_the_site(installation):
    """Add administrators, groups, users and keys, and return all records."""
    site = 1
    given = {"PASSWORD": PASSWORD, "WRITER": WRITER, "EDITOR": EDITOR, "KEEPER": KEEPER, "SITE": site, "USERS": _USERS}
    named = "".join(f"{name} = {value!r}\n" for name, value in given.items())
    found = json.loads(installation.manage("shell", "--no-imports", "-c", named + _ACCOUNTS))
    key = ("--scope", "Contents:read", "--scope", "STL:read")
    installation.manage("create_api_key", "Website 官网", *key, "--scope", "Channels:read")
    installation.manage("create_api_key", "Ticket kiosk 售票机", "--scope", "Contents", "--expires", "20d")
    return World(site, **found)


def work(writer, editor, admin, world):
    """The work of the three in the days before: each is a visitor who has signed in."""
    _write(writer, world)
    _look_after(editor, world)
    _tidy(admin, world)


def _write(writer, world):
    for title in ("A winter crossing, 1971", "一只搪瓷饭盒"):
        writer.change(world.contents[title], summary="A reader's letter. 读者来稿。")
    news = world.channels["news"]
    writer.write(news, "Night watch: the harbour at four in the morning", "draft")
    writer.write(news, "Who painted the ferry green?", "waiting")
    writer.write(world.channels["zhencang"], "灯塔看守人的手电筒", "waiting")


def _look_after(editor, world):
    editor.reject("Who painted the ferry green?", "Say where the photograph comes from. 请注明照片来源。")
    editor.action([world.contents["Evenings on deck"], world.contents["雾钟"]], "recommend")
    editor.action([world.contents["Rope, Tar, Timber"], world.contents["引水员的油布大衣"]], "trash")


def _tidy(admin, world):
    paint = world.contents["Fourteen coats of paint"]
    admin.saving = "Control+Enter"  # each change is published: a version of the history
    admin.change(paint, sub_title="What four months of scraping brought to light")
    admin.retype(paint, "Her", "Every layer was photographed before the next one came off.")
    admin.retype(paint, "Our", "The oldest one is a green that nobody remembered.")
    admin.change(paint, title="Fourteen coats of paint, and one more")
    admin.saving = "Control+s"
    admin.action([world.contents["Tickets and concessions"]], "pin")
    admin.action([world.contents["Salt Accounts"]], "add-tags", names="archive, 档案")
    admin.action([world.contents["绳结入门课"]], "mark-hot")
    admin.open(f"/admin/channels_app/channel/site/{world.site}/several/")
    admin.page.fill("#id_names", "Lost property 失物招领\nSummer 2024 二〇二四年夏")
    admin.send("input[type=submit].default")
    admin.send("input[name=add]")
    admin.open(f"/admin/channels_app/channel/site/{world.site}/?q=2024")
    admin.page.locator("#tree tr[data-id] input[type=checkbox]").last.check()
    admin.send("button[value=trash]")
    admin.send("input[type=submit].default")
