from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "channel_below_itself",
        (400,),
        "The channel would be below itself or one of its descendants.",
        "Choose another parent.",
    ),
    ErrorCode(
        "channel_not_found",
        (400, 404),
        "The site has no such channel: 404 for the path, 400 for the body.",
        "List the channels.",
    ),
    ErrorCode(
        "channel_takes_no_channels",
        (400,),
        "The channel does not allow child channels.",
        "Choose another parent, or set isChannelAddable.",
    ),
    ErrorCode(
        "home_channel",
        (400,),
        "The home channel represents the site and cannot be moved or deleted.",
        "Use another channel.",
    ),
    ErrorCode(
        "name_taken",
        (400,),
        "Another channel of the site, named in message, has this indexName or filePath.",
        "Choose another.",
    ),
)
