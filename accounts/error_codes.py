from core.openapi.error_code import ErrorCode

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
        "The administrator's access token is invalid, expired or ended.",
        "Sign in again if necessary.",
    ),
    ErrorCode(
        "captcha_expired",
        (400,),
        "The captcha has expired, was already checked, or was never requested.",
        "Show a new captcha.",
    ),
    ErrorCode(
        "captcha_name_too_long",
        (400,),
        "The captcha name exceeds 64 characters.",
        "Use a shorter name.",
    ),
    ErrorCode(
        "captcha_wrong",
        (400,),
        "The text does not match the captcha, which is now used up.",
        "Show a new captcha.",
    ),
    ErrorCode(
        "email_taken",
        (400,),
        "Another account of this kind has this email as its email, name or mobile.",
        "Choose another.",
    ),
    ErrorCode(
        "last_administrator",
        (400,),
        "No superuser who can sign in would remain.",
        "Appoint another superuser first.",
    ),
    ErrorCode(
        "mobile_taken",
        (400,),
        "Another account of this kind has this mobile as its mobile, name or email.",
        "Choose another.",
    ),
    ErrorCode(
        "password_too_weak",
        (400,),
        "The new password is too short, too long or too simple, as message explains.",
        "Ask for another password.",
    ),
    ErrorCode(
        "picture_too_large_for_format",
        (400,),
        "Decoding a picture this large takes too much memory in this format, such as WebP.",
        "Save it as a nonprogressive JPEG or a noninterlaced PNG.",
    ),
    ErrorCode(
        "second_factor_required",
        (400,),
        "The administrator's password is right, but the code of the second factor is missing.",
        "Ask for the code and send it in code.",
    ),
    ErrorCode(
        "sign_in_failed",
        (400,),
        "The account, the password or the code is wrong, or the account is locked or not approved.",
        "Ask for all of them again.",
    ),
    ErrorCode(
        "too_many_failures",
        (429,),
        "Too many failed sign-ins of this account or from this address.",
        "Retry after Retry-After seconds.",
    ),
    ErrorCode(
        "too_many_registrations",
        (429,),
        "Too many registrations from this address.",
        "Retry after Retry-After seconds.",
    ),
    ErrorCode(
        "user_name_taken",
        (400,),
        "Another account of this kind has this name as its name, email or mobile.",
        "Choose another.",
    ),
    ErrorCode("user_not_found", (404,), "No user has this id.", "List the users."),
    ErrorCode(
        "user_token_invalid",
        (401,),
        "The user's access token is invalid, expired or ended.",
        "Have the user sign in again.",
    ),
    ErrorCode(
        "user_token_of_another",
        (401,),
        "The access token belongs to a different user than the path.",
        "Use the id of the signed-in user.",
    ),
)
