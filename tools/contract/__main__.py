"""`python -m tools.contract`: the full run of the contract tests, with figures."""

import argparse
import sys
import tempfile
from pathlib import Path

from tools.contract import figures
from tools.contract.demands import shortcomings
from tools.contract.document import DOCUMENT
from tools.contract.plan import FULL, SHORT
from tools.contract.running import Sample, run


def main():
    options = _options()
    size = SHORT if options.short else FULL
    with tempfile.TemporaryDirectory(prefix="cms-contract-") as folder:
        sample = Sample(Path(folder))
        findings = run(
            sample,
            size,
            options.seed,
            document=options.document,
            only=options.only,
            tell=lambda line: print(line, flush=True),
        )
    print(figures.table(findings))
    print(figures.links(findings, options.document))
    print(figures.summary(findings))
    is_full = not (options.short or options.only)
    missing = list(shortcomings(findings, options.document)) if is_full else []
    print("".join(f"\n{sentence}" for sentence in missing))
    for (label, check, title, message), shown in findings.failures.items():
        print(f"\n{label}: {check}: {title}\n{message}\n{shown}")
    for error in findings.errors:
        print(f"\n{error}")
    if options.write:
        figures.write(findings, options.document)
    return 1 if findings.failures or findings.errors or missing else 0


def _options():
    parser = argparse.ArgumentParser(description="Holds the service against its OpenAPI document.")
    parser.add_argument("--seed", type=int, default=1, help="of what is made up")
    parser.add_argument("--short", action="store_true", help="as in `make test-large`")
    parser.add_argument("--only", help="a regular expression of paths")
    parser.add_argument("--document", type=Path, default=DOCUMENT, help="another document")
    parser.add_argument("--write", action="store_true", help="the figures into docs/contract-tests.md")
    return parser.parse_args()


sys.exit(main())
