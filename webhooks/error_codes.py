from core.openapi.error_code import ErrorCode

ERROR_CODES = (
    ErrorCode("event_unknown", (400,), "There is no event of this name.", "Use the names in the documentation."),
    ErrorCode(
        "period_missing", (400,), "Neither deliveries nor a period are given.", "Send deliveryIds, or from and to."
    ),
    ErrorCode("webhook_not_found", (404,), "No webhook has this id.", "List the webhooks."),
)
