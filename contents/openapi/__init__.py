from cms_api.openapi.describing import joined
from contents.openapi import approval, batches, get_lists, lists, previews, records, rules, schedules, stl

SCHEMAS, OPERATIONS = joined(records, rules, lists, get_lists, approval, batches, schedules, previews, stl)
