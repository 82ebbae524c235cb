"""The wizard's answers, stored in the session until the site is created."""

import secrets
from typing import Any

from django.http import HttpRequest

_NAME = "new_site"
TREE = ("outline", "company", "school", "magazine")  # choices that show an outline to type or change
_EMPTY: dict[str, Any] = {
    "site_name": "",
    "site_dir": "",
    "is_root": False,
    "parent_id": None,
    "keep_ids": False,
    "with_entries": False,
    "begin": "",
    "outline": "",
    "copy_from": None,
    "package": "",
    "file_name": "",
    "survey": None,
    "people": [],
}


class WizardState:
    def __init__(self, request: HttpRequest) -> None:
        self._session = request.session
        self.answers: dict[str, Any] = _EMPTY | request.session.get(_NAME, {})

    @property
    def token(self) -> str:
        """Identifies this wizard, which creates at most one site."""
        return str(self.answers.get("token", ""))

    def keep(self, **answers: Any) -> None:
        self.answers |= {"token": self.token or secrets.token_hex(16)} | answers
        self._session[_NAME] = self.answers

    def forget(self) -> None:
        self._session.pop(_NAME, None)
        self.answers = dict(_EMPTY)

    def steps(self) -> list[str]:
        begin = self.answers["begin"]
        if self.answers["package"]:  # the uploaded file implies the beginning
            return ["template", "place", "people", "summary"]
        between = ["channels"] if begin in TREE else ["copy"] if begin == "copy" else []
        between = ["template"] if begin == "template" else between
        return ["place", "begin", *between, "people", "summary"]

    def is_answered(self, step: str) -> bool:
        answers = self.answers
        needed = {
            "place": answers["site_name"],
            "begin": answers["begin"],
            "copy": answers["copy_from"],
            "template": answers["package"],
        }
        return bool(needed.get(step, True))

    def step_of(self, asked: str) -> str:
        """The requested step, or the first unanswered one before it."""
        steps = self.steps()
        wanted = asked if asked in steps else steps[0]
        before = steps[: steps.index(wanted)]
        return next((step for step in before if not self.is_answered(step)), wanted)

    def after(self, step: str) -> str:
        """The next step; skips the upload if a package exists already."""
        steps = [each for each in self.steps() if each != "template" or not self.is_answered(each) or each == step]
        return steps[min(steps.index(step) + 1, len(steps) - 1)]

    def before(self, step: str) -> str:
        steps = self.steps()
        return steps[steps.index(step) - 1] if steps.index(step) else ""
