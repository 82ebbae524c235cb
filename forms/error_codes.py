from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode("form_closed", (400,), "The form takes no entries now.", "Open it in the admin, or change its times."),
    ErrorCode("entry_not_found", (404,), "The site has no entry of a form with this id.", "Read the list of entries."),
    ErrorCode(
        "form_not_found",
        (404,),
        "The site has no such form, or it has no public list.",
        "Send a key, or check the number.",
    ),
    ErrorCode("sms_not_sent", (400,), "The service sends no text messages.", "Leave out the code by text message."),
    ErrorCode("form_empty", (400,), "No field of the form has a value.", "Send members named like its fields."),
    ErrorCode("form_invalid", (400,), "Values do not fit the fields of the form.", "See `errors`."),
    ErrorCode(
        "form_captcha_wrong",
        (400,),
        "The characters of the picture, or the sum, are missing or wrong.",
        "Get a token and its picture, and send the answer as `_captcha`.",
    ),
    ErrorCode(
        "form_proof_wrong",
        (400,),
        "The proof of work is missing or wrong.",
        "Get a token and its challenge, and send the solution as `_proof`.",
    ),
    ErrorCode(
        "form_token_missing",
        (400,),
        "The protection of the form needs a token.",
        "Get one below the address of the form, and send it as `_token`.",
    ),
    ErrorCode(
        "form_token_invalid",
        (400,),
        "The token is older than 30 minutes, was used before, or is not of the form.",
        "Get another one.",
    ),
    ErrorCode(
        "form_too_early",
        (400,),
        "The form was sent within 3 seconds of its token.",
        "Wait, and send the same again.",
    ),
    ErrorCode(
        "form_unreadable",
        (400,),
        "What was sent to a form is not readable or has more than 256 KiB, with files 32 MiB.",
        "Send JSON, or a form as browsers do.",
    ),
    ErrorCode(
        "file_refused",
        (400,),
        "A file came with a form that does not take it: its type, its size, or their number; or it was sent before and "
        "is gone.",
        "Send a file of the types that the field names.",
    ),
    ErrorCode(
        "form_sent_too_often",
        (429,),
        "The form was sent too often, from this network or by all.",
        "Wait Retry-After seconds.",
    ),
)
