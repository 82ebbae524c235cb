"""The tests, and programs that measure or try the service."""

import sys
from pathlib import Path

# The client of the service, which programs use as well that are run without pytest.
sys.path.append(str(Path(__file__).resolve().parent.parent / "client" / "src"))
