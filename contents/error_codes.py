"""Error codes of contents; tools.openapi.error_codes collects them."""

from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "approved_already",
        (400,),
        "The content is approved, so that it cannot have a publishAt in the future.",
        "Withdraw the approval, or omit publishAt.",
    ),
    ErrorCode(
        "channel_takes_no_contents",
        (400,),
        "The channel does not allow contents.",
        "Choose another channel, or set isContentAddable.",
    ),
    ErrorCode(
        "content_not_found",
        (404,),
        "The channel has no such content; it may be deleted.",
        "List the contents.",
    ),
    ErrorCode(
        "draft_conflict",
        (400,),
        "Members of the draft, listed in members, have also been changed publicly.",
        "Read both versions, and send these members with isDraft again.",
    ),
    ErrorCode(
        "draft_not_found",
        (404,),
        "The content has no draft; it may be published or discarded.",
        "Read the public version, or begin a draft with isDraft.",
    ),
    ErrorCode(
        "duplicate_entry",
        (400,),
        "A batch has the same content twice.",
        "Send each content once.",
    ),
    ErrorCode(
        "in_channel_already",
        (400,),
        "Contents are to be moved to the channel that they are in.",
        "Choose another channel.",
    ),
    ErrorCode(
        "invalid_cursor",
        (400,),
        "The cursor is invalid, belongs to another list, is sent with page, or the order does not allow one.",
        'Start again with the cursor "", and keep filters and orders between pages.',
    ),
    ErrorCode(
        "invalid_level",
        (400,),
        "A draft has no such level of approval.",
        "Send -99 for a draft, 0 to submit it, or the level that it passed.",
    ),
    ErrorCode(
        "invalid_schedule",
        (400,),
        "The unpublishAt is in the past, or not later than publishAt.",
        "Send a later unpublishAt.",
    ),
    ErrorCode(
        "not_approved",
        (400,),
        "The content is not approved, so it has no draft beside it.",
        "Change the content itself; visitors do not see it.",
    ),
    ErrorCode(
        "pattern_without_wildcard",
        (400,),
        "A Like or NotLike rule has no % in its value.",
        "Add a % for any text, or use =.",
    ),
    ErrorCode(
        "preview_ended",
        (404,),
        "The token of the preview is wrong or older than an hour, or the content is in the trash.",
        "Open the preview in the admin again.",
    ),
    ErrorCode(
        "query_too_slow",
        (400,),
        "The list takes longer than CMS_STATEMENT_SECONDS, or more work than allowed.",
        "Choose a channel, fewer rules or another order.",
    ),
    ErrorCode(
        "unknown_column",
        (400,),
        "A rule, order or field names an unknown member.",
        "Check the members of a content.",
    ),
    ErrorCode(
        "unknown_operator",
        (400,),
        "A Where rule has an unknown operator.",
        "Use an operator from message.",
    ),
)
