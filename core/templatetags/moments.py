from django.template import Library

from core.admin.formatting import moment_markup

register = Library()
register.filter("moment", moment_markup)
