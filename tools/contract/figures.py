"""The figures of a run: tables for people, sums for docs/contract-tests.md."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

from tools.contract.demands import declared_links
from tools.contract.plan import NEVER_200

PAGE = Path(__file__).resolve().parents[2] / "docs" / "contract-tests.md"
BEGIN, END = "<!-- figures: made by `make test-contract` -->\n", "<!-- end of the figures -->"


def table(findings):
    """A row for each operation."""
    rows = [f"| `{label}` | {number} | {_statuses(findings, label)} |" for label, number in _sorted(findings)]
    head = "| Operation | Examples | Answers |\n|---|---:|---|\n"
    return head + "\n".join(rows)


def links(findings, document):
    """The followed links, by the names of the document."""
    names = declared_links(json.loads(document.read_text(encoding="utf-8")))
    rows = [f"| `{name}` | {findings.links[link]} |" for link, name in sorted(names.items(), key=lambda row: row[1])]
    return "\n| Link | Followed |\n|---|---:|\n" + "\n".join(rows)


def summary(findings):
    """Sums, and the operations that never succeeded."""
    never = [label for label, statuses in findings.statuses.items() if not statuses[200]]
    reasons = [f"- `{label}`: {NEVER_200.get(label, 'for no reason that is known')}." for label in never]
    return f"{_sums(findings)}\n\nNever answered with 200:\n\n" + "\n".join(reasons or ["- none"])


def write(findings, document):
    """Put the summary into the page."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    figures = f"{_of(document)}\n\n{summary(findings)}"
    PAGE.write_text(f"{before}{BEGIN}\n{figures}\n\n{END}{after}", encoding="utf-8")


def shape_of(document):
    """A short digest of the document's requests and responses, without its words and examples."""
    shape = json.dumps(_without_words(json.loads(document.read_text(encoding="utf-8"))), sort_keys=True)
    return sha256(shape.encode()).hexdigest()[:12]


def _of(document):
    return f"Of the document with the shape `{shape_of(document)}`, which is that of its schemas without their words."


def _without_words(part, *, are_names=False):
    if isinstance(part, list):
        return [_without_words(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        # A member may be called description, too.
        name: _without_words(value, are_names=name == "properties" and not are_names)
        for name, value in part.items()
        if are_names or name not in _WORDS
    }


_WORDS = {"description", "summary", "examples", "example", "version"}


def _sums(findings):
    phases = ", ".join(f"{number:,} {_PHASES[name]}" for name, number in findings.phases.items() if number)
    answers = sum(findings.statuses.values(), Counter())
    kinds = ", ".join(f"{number:,} with {status}" for status, number in sorted(answers.items()))
    return (
        f"{findings.total:,} examples of {len(findings.examples)} operations with the seed {findings.seed}, in "
        f"{findings.seconds:.0f} seconds: {phases}. {sum(findings.links.values()):,} of them followed a link. Besides "
        f"these, {sum(findings.probes.values()):,} requests with no key or a wrong one. Answers: {kinds}. "
        f"Findings: {len(findings.failures)}."
    )


_PHASES = {
    "examples": "from the examples of the document",
    "coverage": "at the boundaries of each member and parameter",
    "fuzzing": "made up at random",
    "stateful": "along links",
}


def _sorted(findings):
    return sorted(findings.examples.items(), key=lambda row: row[0].split()[::-1])


def _statuses(findings, label):
    return ", ".join(f"{status}: {number}" for status, number in sorted(findings.statuses[label].items()))
