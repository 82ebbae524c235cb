"""The client's README: its examples run as printed, its tables are those of the code."""

import contextlib
import io
import re
from pathlib import Path

import cms_client
from cms_client import AnswerError, Client, CmsError
from cms_client.errors import ConnectionFailed

README = (Path(__file__).resolve().parents[2] / "client" / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def rows_below(heading):
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]


def test_the_examples_run_as_printed(address, museum, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in BLOCKS:
            text = block.replace("http://127.0.0.1:8000", address).replace("ssk1_…", museum.key)
            exec(compile(text, "client/README.md", "exec"), names)
        names["client"].close()
    lines = printed.getvalue().splitlines()
    for line in ("B 3", "as it was", "404 content_not_found", "True"):
        assert any(each.startswith(line) for each in lines), line
    assert "changed meanwhile" not in printed.getvalue()


def test_the_table_of_operations_is_that_of_the_code():
    documented = {part.strip(" `"): set(re.findall(r"`(\w+)`", names)) for part, names in rows_below("All operations")}
    with Client("http://127.0.0.1:1") as client:
        parts = {"client": client} | {
            f"client.{name}": part
            for name, part in vars(client).items()
            if hasattr(part, "_driver") and name != "with_etags"
        }
        coded = {
            name: {
                each
                for each in dir(type(part))
                if hasattr(getattr(type(part), each), "_make")
            }
            for name, part in parts.items()
        }  # fmt: skip
    assert documented == coded


def test_the_table_of_errors_is_that_of_the_code():
    documented = {name for cell, _ in rows_below("Errors") for name in re.findall(r"`(\w+)`", cell)}
    exported = {name for name in cms_client.__all__ if isinstance(getattr(cms_client, name), type)}
    coded = {name for name in exported if issubclass(getattr(cms_client, name), AnswerError | ConnectionFailed)}
    assert documented == coded - {"AnswerError"}
    assert all(issubclass(getattr(cms_client, name), CmsError) for name in documented)
