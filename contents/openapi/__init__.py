from contents.openapi import (
    approval,
    batches,
    fields,
    get_lists,
    lists,
    previews,
    rules,
    schedules,
    search,
    single,
    stl,
)
from core.openapi.describing import joined

SCHEMAS, OPERATIONS = joined(
    single, rules, lists, get_lists, search, approval, batches, schedules, fields, previews, stl
)
