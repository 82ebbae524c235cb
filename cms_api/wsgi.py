import logging
import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

from core.operation.logs.secrets import WithoutSecrets
from core.rest.wsgi import ReadableBodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")

# The server's loggers have their own handlers, outside the project's settings.
for name in ("gunicorn.access", "gunicorn.error"):
    logging.getLogger(name).addFilter(WithoutSecrets())

_service = ReadableBodies(get_wsgi_application())
# Loaded before workers are forked, so that they share it.
import_module("cms_api.urls")
application = import_module("pages.wsgi").ShortPath(_service)  # its modules need the settings
