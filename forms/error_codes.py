from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode("form_closed", (400,), "The form takes no entries now.", "Open it in the admin, or change its times."),
    ErrorCode("form_empty", (400,), "No field of the form has a value.", "Send members named like its fields."),
    ErrorCode("form_invalid", (400,), "Values do not fit the fields of the form.", "See `errors`."),
    ErrorCode(
        "form_unreadable",
        (400,),
        "What was sent to a form is not readable or has more than 256 KiB.",
        "Send JSON, or a form as browsers do.",
    ),
    ErrorCode(
        "form_sent_too_often",
        (429,),
        "The form was sent too often, from this network or by all.",
        "Wait Retry-After seconds.",
    ),
)
