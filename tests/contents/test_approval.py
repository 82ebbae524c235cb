"""Levels of approval: who may decide on what, and what becomes of a content."""

import pytest

from contents.models import Content, ContentChange
from contents.services import approval
from contents.storing.locking import Seen, only
from core.lib.errors import ServiceError
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db


def site_with(levels):
    settings = {"isCheckContentLevel": True, "checkContentLevel": levels} if levels > 1 else {}
    return SiteFactory(settings=settings)


def content_at(level, levels=1, **fields):
    site = site_with(levels)
    return ContentFactory(channel=ChannelFactory(site=site), checked_level=level, **fields)


def approver(rank, site):
    """Somebody of the rank; a number: whose groups allow approval up to that level."""
    make = {
        "highest": AdministratorFactory,
        "own site": lambda: AdministratorFactory(is_superuser=False, site_id_collection=str(site.pk)),
        "foreign site": lambda: AdministratorFactory(is_superuser=False, site_id_collection=str(SiteFactory().pk)),
        "every level": lambda: administrator_with("contents.approve_content"),
        "without a right": lambda: AdministratorFactory(is_superuser=False),
    }
    return make[rank]() if rank in make else administrator_with(f"contents.approve{rank}_content")


def approve(content, user, *, version=None, **options):
    seen = [Seen(content.site_id, content.pk, version)]
    return only(approval.approve_each(seen, user, **options))


def withdraw(content, user, reasons=""):
    return only(approval.withdraw_each([Seen(content.site_id, content.pk)], user, reasons))


def hand_in(content, editor):
    return only(approval.hand_in_each([Seen(content.site_id, content.pk)], editor))


def reject(content, user, reasons, version=None):
    only(approval.reject_each([Seen(content.site_id, content.pk, version)], user, reasons))


APPROVED = "approved"
BEYOND = "level_beyond"
# Rank, levels of the site, level before → level after an approval, or the refusal.
DECISIONS = [
    *[(rank, 5, 0, APPROVED) for rank in ("highest", "own site", "every level")],
    ("every level", 1, 0, APPROVED),
    *[("own site", 3, level, APPROVED) for level in (-99, -3, -1, 0, 1, 2)],
    *[(rank, levels, 0, BEYOND) for rank in ("without a right", "foreign site") for levels in (1, 3)],
    (1, 1, 0, APPROVED),
    (1, 1, -99, APPROVED),
    (1, 2, 0, 1),
    (1, 2, 1, BEYOND),
    (1, 2, -99, 1),
    (1, 2, -1, 1),
    (1, 2, -2, BEYOND),
    (2, 2, 0, APPROVED),
    (2, 2, 1, APPROVED),
    (2, 3, 0, 2),
    (2, 3, 1, 2),
    (2, 3, 2, BEYOND),
    (2, 3, -2, 2),
    (2, 3, -3, BEYOND),
    (4, 5, 3, 4),
    (4, 5, 4, BEYOND),
    (4, 4, 0, APPROVED),
    # The site has fewer levels than it had: the content waits for the last one.
    (2, 2, 4, APPROVED),
    (1, 2, 4, BEYOND),
    (1, 1, 4, APPROVED),
    (2, 2, -4, APPROVED),
]


@pytest.mark.parametrize(("rank", "levels", "before", "after"), DECISIONS)
def test_an_approval_reaches_as_far_as_the_rights_do(rank, levels, before, after):
    content = content_at(before, levels)
    user = approver(rank, content.site)
    try:
        approve(content, user)
    except ServiceError as refusal:
        assert refusal.code == after
    stored = Content.objects.get(pk=content.pk)
    expected = {APPROVED: (True, 0), BEYOND: (False, before)}.get(after, (False, after))
    assert (stored.is_checked, stored.checked_level) == expected
    assert stored.version == (1 if after == BEYOND else 2)
    assert approval.may_decide(content, approval.reach_of(user).at(content), levels) == (after != BEYOND)


@pytest.mark.parametrize(("rank", "levels", "before", "after"), DECISIONS)
def test_what_waits_for_somebody_is_what_they_may_decide_on(rank, levels, before, after):
    content = content_at(before, levels)
    waits = after != BEYOND and before >= 0
    assert list(approval.waiting_for(approver(rank, content.site))) == ([content] if waits else [])


@pytest.mark.parametrize(
    ("rank", "levels", "before", "after"),
    [
        ("highest", 1, 0, -1),
        ("highest", 3, 1, -2),
        ("own site", 3, 2, -3),
        (1, 3, 0, -1),
        (1, 3, 1, BEYOND),
        (2, 3, 1, -2),
        (1, 1, 4, -1),
        ("without a right", 1, 0, BEYOND),
        ("foreign site", 1, 0, BEYOND),
        ("highest", 1, -99, "not_waiting"),
        ("highest", 1, -1, "not_waiting"),
    ],
)
def test_a_rejection_tells_the_level_and_the_reasons(rank, levels, before, after):
    content = content_at(before, levels, settings_xml='{"colour":"red"}')
    user = approver(rank, content.site)
    try:
        reject(content, user, "Names are wrong.")
    except ServiceError as refusal:
        assert refusal.code == after
    stored = Content.objects.get(pk=content.pk)
    if isinstance(after, str):
        assert (stored.checked_level, stored.version) == (before, 1)
        return
    assert (stored.is_checked, stored.checked_level) == (False, after)
    change = ContentChange.objects.get(content=content)
    assert (change.kind, change.reasons, change.version) == ("rejected", "Names are wrong.", 2)
    assert '"check_reasons":"Names are wrong."' in stored.settings_xml
    assert f'"check_username":"{user.user_name}"' in stored.settings_xml
    assert '"colour":"red"' in stored.settings_xml


def test_a_rejection_needs_reasons():
    content = content_at(0)
    with pytest.raises(ServiceError) as refused:
        reject(content, AdministratorFactory(), "  ")
    assert refused.value.code == "reasons_missing"
    assert Content.objects.get(pk=content.pk).version == 1


@pytest.mark.parametrize(
    ("asked", "after"), [(1, (False, 1)), (2, (False, 2)), (3, (True, 0)), (5, (True, 0)), (None, (True, 0))]
)
def test_who_may_more_may_choose_a_lower_level(asked, after):
    content = content_at(0, 3)
    approve(content, AdministratorFactory(), level=asked)
    stored = Content.objects.get(pk=content.pk)
    assert (stored.is_checked, stored.checked_level) == after


def test_an_approval_never_lowers_a_level():
    content = content_at(2, 4)
    approve(content, AdministratorFactory(), level=1)
    assert Content.objects.get(pk=content.pk).checked_level == 3


def test_a_final_approval_leaves_what_the_interface_leaves():
    content = content_at(1, 2)
    approve(content, AdministratorFactory(user_name="harriet"), reasons="Well done.")
    stored = Content.objects.get(pk=content.pk)
    assert (stored.is_checked, stored.checked_level) == (True, 0)
    assert '"check_reasons":"Well done."' in stored.settings_xml
    assert ContentChange.objects.get(content=content).kind == "approved"
    assert_derived()


@pytest.mark.parametrize(("rank", "levels", "is_allowed"), [("highest", 3, 1), (2, 3, 0), (3, 3, 1), (1, 1, 1)])
def test_who_approves_for_good_withdraws_it(rank, levels, is_allowed):
    content = content_at(0, levels, is_checked=True)
    user = approver(rank, content.site)
    if not is_allowed:
        with pytest.raises(ServiceError, match="rights"):
            withdraw(content, user)
    else:
        withdraw(content, user, "Not true any more.")
        assert ContentChange.objects.get(content=content).reasons == "Not true any more."
    assert Content.objects.get(pk=content.pk).is_checked is not bool(is_allowed)
    assert_derived()


@pytest.mark.parametrize("level", [-99, -1, -5])
def test_drafts_and_what_was_rejected_can_be_handed_in(level):
    content = content_at(level)
    hand_in(content, "anna")
    stored = Content.objects.get(pk=content.pk)
    assert (stored.checked_level, stored.is_checked, stored.last_edit_user_name) == (0, False, "anna")


@pytest.mark.parametrize("fields", [{"checked_level": 0}, {"checked_level": 2}, {"is_checked": True}])
def test_what_waits_or_is_approved_cannot_be_handed_in(fields):
    content = ContentFactory(**fields)
    with pytest.raises(ServiceError) as refused:
        hand_in(content, "anna")
    assert refused.value.code == "handed_in_already"


def test_a_decision_counts_for_the_version_that_was_seen():
    content, user = content_at(0), AdministratorFactory()
    Content.objects.filter(pk=content.pk).update(version=2)
    for decide in (
        lambda: approve(content, user, version=1),
        lambda: reject(content, user, "No.", version=1),
    ):
        with pytest.raises(ServiceError) as refused:
            decide()
        assert refused.value.code == "changed_meanwhile"
    assert not Content.objects.get(pk=content.pk).is_checked


@pytest.mark.parametrize(
    ("settings", "levels"),
    [
        ({}, 1),
        ({"checkContentLevel": 3}, 1),
        ({"isCheckContentLevel": False, "checkContentLevel": 3}, 1),
        ({"isCheckContentLevel": True}, 1),
        ({"isCheckContentLevel": True, "checkContentLevel": 0}, 1),
        ({"isCheckContentLevel": True, "checkContentLevel": 2}, 2),
        ({"isCheckContentLevel": True, "checkContentLevel": 5}, 5),
    ],
)
def test_the_levels_of_a_site_are_those_that_the_interface_answers(settings, levels):
    site = SiteFactory(settings=settings)
    assert approval.levels_of([site.pk]) == {site.pk: levels}


@pytest.mark.parametrize(
    ("fields", "kind", "words"),
    [
        ({"checked_level": -99}, "draft", "Draft"),
        ({"checked_level": 0}, "waiting", "Waiting for approval"),
        ({"checked_level": 2}, "passed", "Passed level 2"),
        ({"checked_level": -3}, "rejected", "Rejected at level 3"),
        ({"is_checked": True}, "approved", "Approved"),
        ({"is_checked": True, "checked_level": 2}, "approved", "Approved"),
    ],
)
def test_each_state_has_words(fields, kind, words):
    content = ContentFactory(**fields)
    state = approval.state_of(content)
    assert (state.kind.value, str(state)) == (kind, words)


def test_what_waits_comes_by_site_and_level_the_oldest_first():
    one, other = site_with(3), SiteFactory()
    new = ContentFactory(channel=ChannelFactory(site=one), last_edit_date="2026-03-01 00:00:00")
    old = ContentFactory(channel=new.channel, last_edit_date="2026-01-01 00:00:00")
    further = ContentFactory(channel=new.channel, checked_level=1, last_edit_date="2025-01-01 00:00:00")
    elsewhere = ContentFactory(channel=ChannelFactory(site=other), last_edit_date="2020-01-01 00:00:00")
    ContentFactory(channel=new.channel, is_checked=True)
    ContentFactory(channel=new.channel, checked_level=-99)
    ContentFactory(channel=new.channel, trashed_at="2026-01-01 00:00:00")
    expected = sorted([(one.pk, [old, new, further]), (other.pk, [elsewhere])])
    assert list(approval.waiting_for(AdministratorFactory())) == [each for _pk, some in expected for each in some]


def test_unfinished_are_ones_own_drafts_and_rejected():
    author = administrator_with("contents.change_content", user_name="anna")
    draft, rejected = (ContentFactory(add_user_name="anna", checked_level=level) for level in (-99, -1))
    ContentFactory(add_user_name="anna")
    ContentFactory(add_user_name="ben", checked_level=-99)
    assert set(approval.unfinished_of(author)) == {draft, rejected}
