"""Addresses of uploads under the folders of sites; to be included after everything else."""

from django.urls import re_path

from sites import site_files
from sites.folders import RESERVED

# Only what looks like the name of a file, so that addresses without a slash at their end still get one.
_RESERVED = "|".join(sorted(RESERVED))
urlpatterns = [re_path(rf"^(?!(?i:{_RESERVED})(?:/|\Z))(?P<path>[^\n]*\.[A-Za-z0-9]{{1,10}})\Z", site_files.serve)]
