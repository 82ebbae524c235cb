"""The project's settings, with a documentation that a test has built."""

import os
from pathlib import Path

from cms_api.settings import *  # noqa: F403 - all of them

DOCUMENTATION_ROOT = Path(os.environ["CMS_TEST_DOCUMENTATION"])
