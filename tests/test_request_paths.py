"""How many product files a request enters and how many statements it sends, so that a feature pays for what it adds."""

import pytest

from tools.packages import ROOT

# Request → files, statements. Lower these with the code; raise them only with a reason in the commit.
MOST = {
    "GET content": (16, 1),
    "list, plain": (22, 1),
    "list, Where and Order": (24, 1),
    "list, Where and Order on a custom field": (25, 2),
    "PUT content": (26, 4),
    "create content": (21, 5),
    "GET users": (15, 1),
    "stl contents": (22, 2),
}


@pytest.mark.any_database
@pytest.mark.django_db(transaction=True)
def test_requests_enter_as_many_files_and_send_as_many_statements_as_before(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import request_paths

    counted = {name: request_paths.count(request) for name, request in request_paths.requests().items()}
    shown = {name: (len(counts.files), counts.statements) for name, counts in counted.items()}
    longer = {name: list(counted[name].files) for name, most in MOST.items() if shown[name] != most}
    assert shown == MOST, longer
