"""Error codes of accounts, for the documentation; cms_api.openapi.error_codes collects them."""

from cms_api.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "administrator_not_found",
        (404,),
        "No administrator has this id.",
        "List the administrators.",
    ),
    ErrorCode(
        "administrator_token_invalid",
        (401,),
        "The administrator's access token is not valid, has expired or has ended.",
        "Nothing needs to be ended; sign in again to go on.",
    ),
    ErrorCode(
        "captcha_expired",
        (400,),
        "The picture of the captcha is too old, has been answered already, or none was asked for.",
        "Show a new picture.",
    ),
    ErrorCode(
        "captcha_name_too_long",
        (400,),
        "The name of a captcha has more than 64 characters.",
        "Choose a shorter name.",
    ),
    ErrorCode(
        "captcha_wrong",
        (400,),
        "The characters are not those of the captcha's picture, which is used up.",
        "Show a new picture.",
    ),
    ErrorCode(
        "email_taken",
        (400,),
        "Another account of the kind has this e-mail address as address, name or mobile.",
        "Choose another one.",
    ),
    ErrorCode(
        "last_administrator",
        (400,),
        "Nobody of the highest rank who may sign in would be left.",
        "Appoint another one first.",
    ),
    ErrorCode(
        "mobile_taken",
        (400,),
        "Another account of the kind has this mobile as mobile, name or e-mail address.",
        "Choose another one.",
    ),
    ErrorCode(
        "password_too_weak",
        (400,),
        "The new password is too short, too long or too simple; message says which.",
        "Have another one chosen.",
    ),
    ErrorCode(
        "picture_too_large_for_format",
        (400,),
        "Decoding a picture of so many pixels takes too much memory in this format, such as WebP.",
        "Save it as a JPEG that is not progressive or as a PNG that is not interlaced.",
    ),
    ErrorCode(
        "sign_in_failed",
        (400,),
        "The account or the password is wrong, or the account is locked or not approved.",
        "Ask for both again.",
    ),
    ErrorCode(
        "too_many_failures",
        (429,),
        "Too many sign-ins of this account, or from this address, have failed.",
        "Try again after the seconds of Retry-After.",
    ),
    ErrorCode(
        "too_many_registrations",
        (429,),
        "Too many people have registered from this address.",
        "Try again after the seconds of Retry-After.",
    ),
    ErrorCode(
        "user_name_taken",
        (400,),
        "Another account of the kind has this name as name, e-mail address or mobile.",
        "Choose another one.",
    ),
    ErrorCode("user_not_found", (404,), "No user has this id.", "List the users."),
    ErrorCode(
        "user_token_invalid",
        (401,),
        "The user's access token is not valid, has expired or has ended.",
        "Have the user sign in again.",
    ),
    ErrorCode(
        "user_token_of_another",
        (401,),
        "The access token belongs to another user than the path names.",
        "Address the user who has signed in.",
    ),
)
