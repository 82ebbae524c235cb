"""The list of comments in the admin, in which a moderator approves."""

import pytest

from comments.models import Comment
from pages.models import ContentsVersion
from tests.admin.conftest import highest
from tests.comments.test_comments import comment, content

pytestmark = pytest.mark.django_db
__all__ = ["content", "highest"]
LIST = "/admin/comments/comment/"


def test_a_moderator_sees_the_whole_text_approves_and_takes_it_back(highest, content):
    waiting = comment(content, "<b>loud</b> " + "x" * 250)
    html = highest.get(LIST).content.decode()
    assert "&lt;b&gt;loud&lt;/b&gt; " + "x" * 250 in html and f"/admin/contents/content/{content.pk}/change/" in html
    before = ContentsVersion.objects.get(site_id=content.site_id).number
    highest.post(LIST, {"action": "show", "_selected_action": [waiting.pk]})
    assert Comment.objects.get().state == "approved"
    assert ContentsVersion.objects.get(site_id=content.site_id).number != before  # which all nodes compare
    highest.post(LIST, {"action": "hide", "_selected_action": [waiting.pk]})
    highest.post(f"{LIST}actions/hide/", {"ids": waiting.pk, "confirmed": "1"})
    assert Comment.objects.get().state == "new"


def test_a_text_that_changed_since_it_was_seen_is_not_approved(content):
    from comments import services
    from core.lib.errors import InvalidInput

    seen = comment(content, "kind words")
    Comment.objects.update(text="other words")
    with pytest.raises(InvalidInput, match="has changed"):
        services.change_state(seen, "approved", was="new")
    assert Comment.objects.get().state == "new"


def test_comments_on_contents_in_the_trash_are_not_listed(highest, content):
    comment(content, "gone")
    type(content).objects.filter(pk=content.pk).update(trashed_at="2026-11-01")
    assert "gone" not in highest.get(LIST).content.decode()
