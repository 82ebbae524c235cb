"""The WSGI application that gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

from cms_api.rest.wsgi import ReadableBodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")

application = ReadableBodies(get_wsgi_application())
