"""Error codes of channels, for the documentation; cms_api.openapi.error_codes collects them."""

from cms_api.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "channel_below_itself",
        (400,),
        "A channel would stand below itself or below one of its own descendants.",
        "Choose another parent.",
    ),
    ErrorCode(
        "channel_not_found",
        (400, 404),
        "The site has no such channel: 404 where the path names it, 400 where the body does.",
        "List the channels of the site.",
    ),
    ErrorCode(
        "channel_takes_no_channels",
        (400,),
        "The settings of the channel take no channels below it.",
        "Choose another parent, or set isChannelAddable.",
    ),
    ErrorCode(
        "home_channel",
        (400,),
        "The home channel is the site itself and can be neither moved nor deleted.",
        "Address a channel below it.",
    ),
    ErrorCode(
        "name_taken",
        (400,),
        "Another channel of the site has this indexName or filePath; message names the channel.",
        "Choose another one.",
    ),
)
