from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The Python packages of the service.
PACKAGES = tuple(sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"benchmarks", "tests", "tools"}))
