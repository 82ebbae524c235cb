from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode(
        "address_refused",
        (400,),
        "The address in the URL is not part of the public Internet.",
        "Use another URL, or add its network to CMS_WEBHOOK_NETWORKS.",
    ),
    ErrorCode("event_unknown", (400,), "There is no event of this name.", "Use the names in the documentation."),
    ErrorCode(
        "period_missing", (400,), "Neither deliveries nor a period are given.", "Send deliveryIds, or from and to."
    ),
    ErrorCode("url_invalid", (400,), "The URL of the webhook is invalid; message says why.", "Correct it."),
    ErrorCode("webhook_not_found", (404,), "No webhook has this id.", "List the webhooks."),
)
