"""Comments as pages show them, and who may write them."""

from typing import Any

from channels_app.attributes import comment_writers
from channels_app.tree import Tree
from comments.models import Comment
from pages.engine.source import CommentRules, Listed, Record
from sites.attributes import comment_settings

State = Comment.State


def rules_of(tree: Tree, channel: Record) -> CommentRules:
    """Return the rules for contents of the channel: of the nearest channel that has any, else of the site."""
    who, are_checked = comment_settings(tree.site)
    given = (comment_writers(tree.settings(each)) for each in (channel, *tree.above(channel)))
    return CommentRules(next(filter(None, given), who), are_checked)


def find_comments(content_id: int, page: int, size: int) -> Listed:
    """Return a page of approved comments, the newest first, each with its approved replies, and the number of all."""
    shown = Comment.objects.filter(content_id=content_id, state=State.APPROVED)
    first = shown.filter(parent=None)
    total = first.count()
    found = list(first.order_by("-created_at", "-pk")[(page - 1) * size : page * size])
    replies: dict[int, list[Record]] = {}
    for reply in shown.filter(parent__in=[each.pk for each in found]).order_by("created_at", "pk"):
        replies.setdefault(reply.parent_id or 0, []).append(_record(reply, ()))
    return Listed([_record(each, replies.get(each.pk, ())) for each in found], total)


def _record(comment: Comment, replies: Any) -> Record:
    names = {"userName": comment.name, "displayName": comment.name}
    return {
        "id": comment.pk,
        "addDate": comment.created_at,
        "content": comment.text,
        "replies": replies,
        **names,
    }
