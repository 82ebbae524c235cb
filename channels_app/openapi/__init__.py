from channels_app.openapi import channels, stl
from core.openapi.describing import joined

SCHEMAS, OPERATIONS = joined(channels, stl)
