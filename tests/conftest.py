"""What all tests share."""

import os
import tempfile

# A folder of its own: tests never touch the data of an installation beside them.
os.environ["CMS_DATA_DIR"] = tempfile.mkdtemp(prefix="cms-tests-")
