from contents.openapi import approval, batches, fields, get_lists, lists, previews, rules, schedules, single, stl
from core.openapi.describing import joined

SCHEMAS, OPERATIONS = joined(single, rules, lists, get_lists, approval, batches, schedules, fields, previews, stl)
