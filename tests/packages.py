from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The Python packages of the service: the project and its apps.
PACKAGES = tuple(sorted(path.parent.name for path in ROOT.glob("*/apps.py")))
