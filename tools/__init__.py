"""Programs for development, which the service does not import: generators, and checks of tests and of the service."""

import sys
from pathlib import Path

# The client of the service, which is no part of its packages.
sys.path.append(str(Path(__file__).resolve().parent.parent / "client" / "src"))
