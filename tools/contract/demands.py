"""Requirements of a full run: enough examples, a success of each operation, and each link of the document."""

import json

from tools.contract.plan import NEVER_200

LEAST_EXAMPLES = 10_000
_VERBS = ("get", "post", "put", "delete")


def declared_links(document):
    """The names of the document's links, by their source and target operations."""
    operations = list(_operations(document))
    labels = {operation["operationId"]: label for label, operation in operations}
    return {
        (label, labels[link["operationId"]]): f"{label} → {name}"
        for label, operation in operations
        for response in operation["responses"].values()
        for name, link in response.get("links", {}).items()
    }


def shortcomings(findings, path):
    """A sentence for each demand that the run has not met; `path` is the document's."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if findings.total < LEAST_EXAMPLES:
        yield f"{findings.total:,} examples are fewer than {LEAST_EXAMPLES:,}."
    for label, _ in _operations(document):
        if not findings.statuses[label][200] and label not in NEVER_200:
            yield f"{label} was never answered with 200."
    for link, name in declared_links(document).items():
        if not findings.links[link]:
            yield f"The link {name} was never followed."


def _operations(document):
    for path, operations in document["paths"].items():
        for verb in _VERBS:
            if verb in operations:
                yield f"{verb.upper()} {path}", operations[verb]
