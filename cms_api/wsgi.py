"""The WSGI application that gunicorn serves."""

import logging
import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

from cms_api.operation.logs.secrets import WithoutSecrets
from cms_api.rest.wsgi import ReadableBodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")

# The server's own lines have handlers of its own, which the project's settings do not reach.
for name in ("gunicorn.access", "gunicorn.error"):
    logging.getLogger(name).addFilter(WithoutSecrets())

application = ReadableBodies(get_wsgi_application())
# Loaded now and not by the first request, so that workers share it.
import_module("cms_api.urls")
