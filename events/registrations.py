# Name → seconds between two calls, function without parameters.
PERIODIC_TASKS = {
    "events.numbering": (0.25, "events.numbering.number_new"),
    "events.retention": (600.0, "events.retention.delete_old"),
}
