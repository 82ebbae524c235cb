"""Programs of the development, none of which the service imports: they generate, measure tests and try the service."""

import sys
from pathlib import Path

# The client of the service, which is no part of its packages.
sys.path.append(str(Path(__file__).resolve().parent.parent / "client" / "src"))
