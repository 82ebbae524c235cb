"""Drafts of public content items: the interface, the levels of approval, conflicts, and what becomes of a draft."""

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from contents.admin.tables import content_columns
from contents.models import Content, ContentChange, ContentDraft, ContentSchedule, CustomField
from contents.scheduling import apply_due
from contents.services import drafts
from contents.services.moving import move_contents
from contents.services.schedules import schedule_draft
from contents.services.single import trash_content, update_content
from contents.storing.history import version_of
from contents.storing.locking import Seen, only
from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.errors import ServiceError
from core.rest.serializers import Members
from tests.assertions import assert_error
from tests.contents.derived import assert_derived
from tests.contents.test_approval import approver, site_with
from tests.contents.threads import at_once, outcome
from tests.contents.trash import purge_content, restore_content
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db


def public_content(levels=1, **fields):
    shown = {
        "title": "Old",
        "summary": "Short",
        "content": "<p>Old</p>",
        "tags": "a",
        "settings_xml": '{"colour":"red","size":1}',
    }
    channel = ChannelFactory(site=site_with(levels))
    return ContentFactory(channel=channel, **({"is_checked": True} | shown | fields))


@world
def content():
    return public_content()


def address(content, query=""):
    return f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}{query}"


def of_draft(content):
    return address(content, "?version=draft")


def put(api, content, /, status=200, **members):
    response = api.put(address(content), members)
    assert response.status_code == status, response.content
    return response.json()["value"] if status == 200 else response.json()


def save(content, /, *, editor="anna", custom=None, **values):
    """Store the members in the draft with the service, and return the draft."""
    place = content.site_id, content.channel_id, content.pk
    drafts.save_draft(*place, Members(values, custom or {}), editor)
    return ContentDraft.objects.get(content=content)


def edit(content, /, *, custom=None, **values):
    """Change the public content."""
    update_content(content.site_id, content.channel_id, content.pk, Members(values, custom or {}), "bob")


def publish(content, **options):
    return drafts.publish_draft(content.site_id, content.pk, "harriet", **options)


def actions():
    entries = AuditEntry.objects.filter(action__startswith="content.").order_by("pk")
    return list(entries.values_list("action", flat=True))


def refused(act, *arguments, **options):
    with pytest.raises(ServiceError) as refusal:
        act(*arguments, **options)
    return refusal.value


def all_that_visitors_read(api, content):
    site, channel = content.site_id, content.channel_id
    paths = [
        address(content),
        address(content, "?version=public"),
        f"/api/v1/contents/{site}",
        f"/api/v1/contents/{site}/{channel}?tag=a",
        f"/api/v1/stl/content?siteId={site}&channelId={channel}&contentId={content.pk}&_fields=*",
        f"/api/v1/stl/contents?siteId={site}&channelId={channel}",
    ]
    answers = [api.get(path) for path in paths]
    answers.append(api.post("/api/v1/contents", {"siteId": site, "channelId": channel}))
    assert {answer.status_code for answer in answers} == {200}
    return [(answer.content, answer.headers["ETag"]) for answer in answers]


# ---- the interface


def test_a_draft_leaves_what_visitors_read_byte_for_byte(api, content):
    before, row = all_that_visitors_read(api, content), Content.objects.values().get()
    put(api, content, isDraft=True, title="New", content="<p>New</p>", tags="b", isTop=True, colour="blue")
    assert all_that_visitors_read(api, content) == before
    assert Content.objects.values().get() == row
    assert not ContentChange.objects.exists()
    assert_derived()


def test_the_answer_is_the_public_record_with_the_values_of_the_draft(client_with_key, content):
    api = client_with_key(administrator=AdministratorFactory(user_name="anna"))
    public = api.get(address(content)).json()["value"]
    answer = put(api, content, IsDraft="true", title="New", content="<p>New</p>", Colour="blue", taxis=99, hits=7)
    own = {"title": "New", "content": "<p>New</p>", "colour": "blue", "isChecked": False, "checkedLevel": -99}
    own |= {"isDraft": True, "lastEditUserName": "anna", "lastEditDate": answer["lastEditDate"]}
    own |= {"settingsXml": answer["settingsXml"]}
    assert answer == public | own
    assert api.get(of_draft(content)).json()["value"] == answer
    assert api.get(address(content, "?Version=DRAFT&fields=id,Title")).json()["value"] == {
        "id": content.pk,
        "title": "New",
    }
    # Later bodies extend the draft, and a member with the public value leaves it.
    answer = put(api, content, isDraft=True, title="Old", summary="Long")
    assert (answer["title"], answer["summary"], answer["content"]) == ("Old", "Long", "<p>New</p>")
    assert ContentDraft.objects.get().draft_values == '{"summary":"Long","settings_xml":{"colour":"blue"}}'


def test_a_whole_record_that_is_sent_back_changes_nothing(api):
    content = public_content(image_url="@/a.png", is_top=True, add_date="2026-01-02 03:04:05")
    record = put(api, content, isDraft=True, title="New", videoUrl="@/b.mp4")
    stored = ContentDraft.objects.values("draft_values", "draft_body").get()
    again = put(api, content, **record)
    assert again == record | {"lastEditDate": again["lastEditDate"]}
    assert ContentDraft.objects.values("draft_values", "draft_body").get() == stored


def test_publishing_through_the_interface(api, content):
    put(api, content, isDraft=True, title="New", checkedLevel=0)
    assert ContentDraft.objects.get().checked_level == 0
    answer = put(api, content, isDraft=True, isChecked=True, summary="Long")
    assert (answer["title"], answer["summary"], answer["isChecked"], "isDraft" in answer) == (
        "New",
        "Long",
        True,
        False,
    )
    assert api.get(address(content)).json()["value"] == answer
    assert_error(api.get(of_draft(content)), 404, "draft_not_found")
    assert_derived()


def test_discarding(api, content):
    shown = put(api, content, isDraft=True, title="New")
    assert api.delete(of_draft(content)).json()["value"] == shown
    assert_error(api.delete(of_draft(content)), 404, "draft_not_found")
    assert Content.objects.get().trashed_at is None
    assert actions() == ["content.draft_discarded"]


def test_a_put_to_the_draft_never_publishes(api, content):
    answer = api.put(of_draft(content), {"title": "New"})
    assert answer.json()["value"]["isDraft"] is True
    assert Content.objects.get().title == "Old"


@pytest.mark.parametrize(
    ("query", "members"),
    [
        ("", {"isDraft": True, "isChecked": True}),
        ("", {"isDraft": True, "isChecked": True, "checkedLevel": 0}),
        ("", {"isDraft": True, "isChecked": True, "title": "Old", "colour": "red"}),  # as the public version
        ("", {"isDraft": True, "publishAt": "2199-01-01"}),
        ("", {"isDraft": True, "publishAt": "2020-01-01"}),
        ("?version=draft", {"isChecked": True}),
    ],
)
def test_a_draft_that_is_not_there_cannot_be_approved(api, content, query, members):
    response = api.put(address(content, query), members)
    assert_error(response, 404, "draft_not_found")
    assert Content.objects.get().version == 1
    for model in (
        ContentChange,
        ContentDraft,
        ContentSchedule,
        AuditEntry.objects.filter(action__startswith="content"),
    ):
        assert not getattr(model, "objects", model).exists()


def test_nor_in_a_batch_nor_in_the_admin(api, client, content):
    path = f"/api/v1/contents/{content.site_id}/{content.channel_id}/batch"
    assert_error(api.put(path, {"contents": [{"id": content.pk, "isDraft": True, "isChecked": True}]}), 400)
    client.force_login(AdministratorFactory())
    page = reverse("admin:contents_content_draft", args=[content.pk])
    for act in ("approve", "schedule"):
        sent = {"act": act, "version": 1, "publish_at": "2199-01-01T08:00"}
        *_earlier, message = get_messages(client.post(page, sent).wsgi_request)
        assert "has no draft" in str(message)
    assert Content.objects.get().version == 1
    assert not ContentChange.objects.exists()


def test_a_draft_that_begins_with_the_request_is_published_with_it(api, content):
    assert put(api, content, isDraft=True, isChecked=True, title="New")["title"] == "New"
    put(api, content, 404, isDraft=True, isChecked=True, title="New")


def test_is_draft_false_changes_the_content_and_is_no_custom_field(api, content):
    assert put(api, content, isDraft=False, title="New")["title"] == "New"
    assert Content.objects.get().title == "New"
    assert not CustomField.objects.exists()
    assert not ContentDraft.objects.exists()


@pytest.mark.any_database
@pytest.mark.parametrize("end", ["publish", "schedule", "discard"])
def test_a_custom_field_that_only_a_draft_has_is_known_once_it_is_public(api, content, client_with_key, end):
    reader = client_with_key(scopes="Contents:read")
    rule = {"column": "secretPlan", "operator": "=", "value": "moon"}

    def known():
        answers = [
            reader.post("/api/v1/contents", {"siteId": content.site_id, **asked})
            for asked in ({"wheres": [rule]}, {"orders": [{"column": "SECRETPLAN", "desc": True}]})
        ]
        named = {column.wire for column in content_columns(content.site_id)}
        assert len({answer.status_code for answer in answers}) == 1
        assert CustomField.objects.filter(name="secretPlan").exists() is (answers[0].status_code == 200)
        assert ("secretPlan" in named) is (answers[0].status_code == 200)
        return answers[0].status_code == 200

    assert put(api, content, isDraft=True, secretPlan="moon", settingsXml='{"secretDay":9}')["secretPlan"] == "moon"
    assert put(api, content, isDraft=True, SECRETPLAN="mars")["secretPlan"] == "mars"
    assert not known()
    if end == "discard":
        api.delete(of_draft(content))
    elif end == "schedule":
        moment = clock.now() + timedelta(hours=1)
        draft = ContentDraft.objects.get()
        schedule_draft(content.site_id, content.pk, AdministratorFactory(), draft.version, moment)
        assert not known()
        ContentSchedule.objects.update(publish_at=clock.now())
        apply_due()
    else:
        publish(content)
    assert known() is (end != "discard")
    stored = api.get(address(content)).json()["value"]
    assert (stored.get("secretPlan"), stored.get("secretDay")) == ((None, None) if end == "discard" else ("mars", 9))


def test_a_draft_takes_over_the_spelling_that_became_known_meanwhile(api, content):
    put(api, content, isDraft=True, newField="draft")
    other = ContentFactory(channel=content.channel)
    put(api, other, newfield="public")
    assert put(api, content, isDraft=True, NewField="again")["newfield"] == "again"
    publish(content)
    assert list(CustomField.objects.filter(folded_name="newfield").values_list("name", flat=True)) == ["newfield"]
    assert api.get(address(content)).json()["value"]["newfield"] == "again"


def test_preconditions_of_a_draft(api, content):
    public_tag = api.get(address(content)).headers["ETag"]
    first = api.put(address(content), {"isDraft": True, "title": "New"}, HTTP_IF_MATCH=public_tag)
    assert first.status_code == 200
    read = api.get(of_draft(content))
    assert read.headers["ETag"] == first.headers["ETag"] != public_tag
    assert api.get(of_draft(content), HTTP_IF_NONE_MATCH=read.headers["ETag"]).status_code == 304
    body, stale = {"isDraft": True, "title": "Newer"}, {"HTTP_IF_MATCH": public_tag}
    assert_error(api.put(address(content), body, **stale), 412, "precondition_failed")
    assert_error(api.delete(of_draft(content), **stale), 412, "precondition_failed")
    edit(content, summary="Changed publicly")
    assert api.put(address(content), body, HTTP_IF_MATCH=read.headers["ETag"]).status_code == 412
    assert ContentDraft.objects.get().draft_values == '{"title":"New"}'
    present = api.get(of_draft(content)).headers["ETag"]
    assert api.delete(of_draft(content), HTTP_IF_MATCH=present).status_code == 200


def test_keys_that_may_only_read_and_keys_of_other_sites_see_no_draft(api, client_with_key, content):
    put(api, content, isDraft=True, title="New")
    reader = client_with_key(scopes="Contents:read")
    refusal = assert_error(reader.get(of_draft(content)), 401, "scope_missing")
    assert refusal["scope"] == "Contents:write"
    assert_error(reader.get(address(content, "?VERSION=Draft")), 401, "scope_missing")
    assert reader.head(of_draft(content)).status_code == 401
    assert_error(reader.put(address(content), {"isDraft": True}), 401, "scope_missing")
    assert reader.get(address(content)).json()["value"]["title"] == "Old"
    other = client_with_key(scopes="Contents:write", site_ids=str(SiteFactory().pk))
    for response in (other.get(of_draft(content)), other.delete(of_draft(content))):
        assert_error(response, 401, "site_not_allowed")
    assert ContentDraft.objects.count() == 1


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"isDraft": "perhaps"}, "invalid_value"),
        ({"isDraft": True, "title": " "}, "missing_member"),
        ({"isDraft": True, "checkedLevel": 6}, "invalid_level"),
        ({"isDraft": True, "linkUrl": "javascript:alert(1)"}, "invalid_value"),
        ({"isDraft": True, "colour": "x" * 2_000_000}, "custom_field_too_large"),
    ],
)
def test_bodies_that_are_refused_leave_no_draft(api, content, members, code):
    assert put(api, content, status=400, **members)["code"] == code
    assert not ContentDraft.objects.exists()


def test_an_unknown_version_is_refused(api, content):
    for send in (api.get, api.delete, lambda path: api.put(path, {"title": "New"})):
        assert_error(send(address(content, "?version=drafts")), 400, "invalid_value")
    stored = Content.objects.get()
    assert (stored.title, stored.trashed_at) == ("Old", None)


def test_a_batch_does_not_publish_what_is_meant_as_a_draft(api, content):
    path = f"/api/v1/contents/{content.site_id}/{content.channel_id}/batch"
    item = {"id": content.pk, "title": "New"}
    assert_error(api.put(path, {"contents": [item | {"isDraft": True}]}), 400, "invalid_value")
    assert Content.objects.get().title == "Old"
    assert api.put(path, {"contents": [item | {"isDraft": False}]}).status_code == 200
    assert not CustomField.objects.exists()


def test_an_unapproved_content_has_no_draft(api):
    content = public_content(is_checked=False)
    assert put(api, content, status=400, isDraft=True, title="New")["code"] == "not_approved"
    assert Content.objects.get().title == "Old"


def test_a_missing_content_is_404(api, content):
    path = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk + 1}"
    for response in (
        api.put(path, {"isDraft": True}),
        *(send(f"{path}?version=draft") for send in (api.get, api.delete)),
    ):
        assert_error(response, 404, "content_not_found")


# ---- approval


@pytest.mark.parametrize(
    ("rank", "levels", "before", "after"),
    [
        ("highest", 3, 0, "public"),
        ("own site", 1, -99, "public"),
        ("every level", 2, -1, "public"),
        (1, 1, 0, "public"),
        (1, 2, 0, 1),
        (2, 3, 1, 2),
        (2, 2, 4, "public"),
        (1, 2, 1, "level_beyond"),
        ("without a right", 1, 0, "level_beyond"),
        ("foreign site", 1, 0, "level_beyond"),
    ],
)
def test_an_approval_reaches_as_far_as_the_rights_do(rank, levels, before, after):
    content = public_content(levels)
    user, draft = approver(rank, content.site), save(content, title="New", checked_level=before)
    waits = after != "level_beyond" and before >= 0
    assert list(drafts.waiting_for(user)) == ([draft] if waits else [])
    act = (content.site_id, content.pk, user, draft.version)
    if after == "level_beyond":
        assert refused(drafts.approve_draft, *act).code == after
    else:
        drafts.approve_draft(*act, reasons="Well done.")
    left = ContentDraft.objects.filter(content=content).values_list("checked_level", flat=True).first()
    assert left == {"public": None, "level_beyond": before}.get(after, after)
    assert Content.objects.get().title == ("New" if after == "public" else "Old")


def test_publishing_leaves_one_entry_of_history_with_both_values(content):
    draft = save(content, title="New", content="<p>New</p>", custom={"colour": "blue", "check_username": "mallory"})
    user = AdministratorFactory(user_name="harriet")
    drafts.approve_draft(content.site_id, content.pk, user, draft.version, reasons="Well done.")
    stored = Content.objects.get()
    assert (stored.title, stored.is_checked, stored.version, stored.last_edit_user_name) == ("New", True, 2, "anna")
    assert '"colour":"blue"' in stored.settings_xml and '"size":1' in stored.settings_xml
    assert '"check_username":"harriet"' in stored.settings_xml
    change = ContentChange.objects.get()
    assert (change.kind, change.reasons, change.version) == ("published", "Well done.", 2)
    members, body = version_of(stored, 1)
    assert (members["title"], body, members["settings_xml"]) == ("Old", "<p>Old</p>", content.settings_xml)
    assert actions() == ["content.draft_published"]
    assert_derived()


def test_a_rejection_gives_reasons_and_a_correction_is_submitted_again():
    content = public_content(2)
    user = AdministratorFactory()
    draft = save(content, title="New", checked_level=0)
    act = (content.site_id, content.pk, user, draft.version)
    assert refused(drafts.reject_draft, *act, " ").code == "reasons_missing"
    rejected = drafts.reject_draft(*act, "Names are wrong.")
    assert (rejected.checked_level, rejected.reasons) == (-1, "Names are wrong.")
    assert list(drafts.unfinished_of(AdministratorFactory(user_name="anna"))) == [rejected]
    assert list(drafts.unfinished_of(user)) == []
    act = (content.site_id, content.pk, user, rejected.version)
    assert refused(drafts.reject_draft, *act, "Again.").code == "not_waiting"
    corrected = save(content, title="Right")
    assert (corrected.checked_level, corrected.reasons) == (-1, "Names are wrong.")
    assert refused(drafts.submit_draft, content.site_id, content.pk, rejected.version).code == "changed_meanwhile"
    submitted = drafts.submit_draft(content.site_id, content.pk, corrected.version)
    assert submitted.checked_level == 0
    assert refused(drafts.submit_draft, content.site_id, content.pk, submitted.version).code == "handed_in_already"
    assert actions() == ["content.draft_rejected"]


@pytest.mark.parametrize("level", [0, 1])
def test_a_change_takes_a_draft_out_of_the_queue(level):
    content = public_content(3)
    draft = save(content, title="New", checked_level=level)
    later = save(content, summary="Long", editor="bob")
    assert (later.checked_level, later.version, later.editor) == (-99, draft.version + 1, "bob")
    user = AdministratorFactory()
    act = (content.site_id, content.pk, user, draft.version)
    assert refused(drafts.approve_draft, *act).code == "changed_meanwhile"
    assert Content.objects.get().title == "Old"


def test_a_new_draft_never_has_the_version_of_an_earlier_one(content):
    first = save(content, title="New")
    drafts.discard_draft(content.site_id, content.pk)
    again = save(content, title="Newer")
    act = (content.site_id, content.pk, AdministratorFactory(), first.version)
    assert again.version != first.version
    assert refused(drafts.approve_draft, *act).code == "changed_meanwhile"


# ---- conflicts


def test_what_was_changed_publicly_alone_stays(content):
    save(content, title="New", custom={"colour": "blue"})
    edit(content, summary="Long", content="<p>Newer</p>", custom={"size": 2})
    publish(content)
    stored = Content.objects.select_related("body").get()
    assert (stored.title, stored.summary, stored.body.text) == ("New", "Long", "<p>Newer</p>")
    assert '"colour":"blue"' in stored.settings_xml and '"size":2' in stored.settings_xml


@pytest.mark.parametrize(
    ("drafted", "public", "contested"),
    [
        ({"title": "New"}, {"title": "Other"}, ["title"]),
        ({"content": "<p>New</p>"}, {"content": "<p>Other</p>"}, ["content"]),
        ({"content": ""}, {"content": "<p>Other</p>"}, ["content"]),
        ({"custom": {"colour": "blue"}}, {"custom": {"Colour": "green"}}, ["colour"]),
        ({"custom": {"fresh": 1}}, {"custom": {"fresh": 2}}, ["fresh"]),
        ({"sub_title": "New", "title": "N"}, {"sub_title": "Other"}, ["subTitle"]),
        ({"title": "New", "content": "x"}, {"title": "New", "content": "x"}, []),
        ({"custom": {"colour": "blue"}}, {"custom": {"colour": "blue"}}, []),
    ],
)
def test_a_member_changed_by_both_refuses_to_be_published(content, drafted, public, contested):
    save(content, **drafted)
    edit(content, **public)
    before = Content.objects.values().get()
    if not contested:
        publish(content)
        return
    refusal = refused(publish, content)
    assert (refusal.code, refusal.members) == ("draft_conflict", {"members": contested})
    assert Content.objects.values().get() == before
    # Saving the member again, on the current version, settles the conflict.
    save(content, **drafted)
    publish(content)
    assert not ContentDraft.objects.exists()


def test_a_public_change_that_was_taken_back_is_no_conflict(content):
    save(content, title="New", content="<p>New</p>")
    edit(content, title="Other", content="<p>Other</p>")
    edit(content, title="Old", content="<p>Old</p>")
    assert publish(content).title == "New"


# ---- what becomes of a draft


def test_a_draft_follows_its_content(content):
    save(content, title="New")
    other = ChannelFactory(site=content.site)
    only(move_contents([Seen(content.site_id, content.pk)], other.pk))
    trash_content(content.site_id, other.pk, content.pk)
    assert list(drafts.unfinished_of(AdministratorFactory(user_name="anna"))) == []
    assert refused(publish, content).code == "content_not_found"
    restore_content(content.site_id, content.pk)
    assert publish(content).channel_id == other.pk
    assert Content.objects.get().title == "New"


def test_a_purge_takes_the_draft_along(content):
    kept = public_content()
    save(content, title="New")
    save(kept, title="New")
    trash_content(content.site_id, content.channel_id, content.pk)
    purge_content(content.site_id, content.pk)
    assert [draft.content_id for draft in ContentDraft.objects.all()] == [kept.pk]


def test_a_draft_outlives_the_approval_of_its_content_and_brings_it_back(content):
    save(content, title="New")
    edit(content, is_checked=False)
    save(content, summary="Long")
    published = publish(content)
    assert (published.is_checked, published.title, published.summary) == (True, "New", "Long")
    assert actions() == [
        "content.approval_withdrawn",
        "content.draft_published",
        "content.approved",
    ]
    assert_derived()


@pytest.mark.django_db(transaction=True)
def test_a_draft_that_is_saved_while_it_is_approved_is_not_lost():
    content, user = public_content(), AdministratorFactory()
    draft = save(content, title="New", checked_level=0)
    place = content.site_id, content.channel_id, content.pk
    results = at_once(
        None,
        outcome(drafts.approve_draft, content.site_id, content.pk, user, draft.version),
        outcome(drafts.save_draft, *place, Members({"summary": "Long"}, {}), "bob"),
    )
    stored, left = Content.objects.get(), drafts.find_draft(content)
    if results[0] == "changed_meanwhile":
        assert (stored.title, drafts.read_draft(*place).title) == ("Old", "New")
    else:
        assert (results[0], stored.title) == ("", "New")
    assert left is not None
    assert drafts.read_draft(*place).summary == "Long"


@pytest.mark.django_db(transaction=True)
def test_of_two_approvals_at_once_one_publishes():
    content, user = public_content(), AdministratorFactory()
    draft = save(content, title="New", checked_level=0)
    act = outcome(drafts.approve_draft, content.site_id, content.pk, user, draft.version)
    assert sorted(at_once(None, act, act)) == ["", "draft_not_found"]
    assert ContentChange.objects.count() == 1
