from channels_app.openapi import channels, stl
from cms_api.openapi.describing import joined

SCHEMAS, OPERATIONS = joined(channels, stl)
