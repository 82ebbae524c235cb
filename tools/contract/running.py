"""Runs Schemathesis over the whole document against a real server with the sample site, and counts."""

import re
import shutil
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

import schemathesis
from schemathesis.engine import events, from_schema

from tools.contract.aiming import Aim, is_read
from tools.contract.document import DOCUMENT
from tools.contract.plan import configuration
from tools.servers import Installation

# Settings without limits that would disturb the run. The first requested restart happens, unnoticed by requests; the
# others are delayed beyond the end of the run.
SETTINGS = {
    "CMS_LOGIN_FAILURES_PER_ACCOUNT": "0",
    "CMS_LOGIN_FAILURES_PER_ADDRESS": "0",
    "CMS_RESTART_MIN_SECONDS": "86400",
    "CMS_METRICS": "true",
}
# The sample site has none but the administrator of highest rank, whom nobody can delete or lock. Examples of the
# document make reader1 and editor1, whose names are therefore left free.
USERS = ("member1", "member2")
ADMINISTRATORS = ("deputy1", "deputy2")
VERBS = ("GET", "POST", "PUT", "DELETE")


class Part(NamedTuple):
    """Phases and verbs, and a regular expression of the paths."""

    phases: tuple
    verbs: tuple
    paths: str = "."


# Each part begins with a fresh sample site, so that deletions do not affect the next. Schemathesis begins no
# chain with a channel, as nothing makes its site, unless no other operation can begin one; and few with a user.
PARTS = {
    "reading and changing": Part(("examples", "coverage", "fuzzing"), ("GET", "POST", "PUT")),
    # Before accounts are renamed and locked.
    "signing in and changing passwords": Part(("fuzzing",), ("POST",), "actions/(login|resetPassword)$"),
    "deleting": Part(("examples", "coverage", "fuzzing"), ("DELETE",)),
    "following links": Part(("stateful",), VERBS),
    "following links of channels": Part(("stateful",), VERBS, r"/channels/|/contents/\{siteId\}/\{channelId\}$"),
    "following links of files": Part(("stateful",), VERBS, "/media/"),
    "following links of users": Part(("stateful",), VERBS, "/users"),
}


@dataclass
class Findings:
    """Requests and responses so far."""

    seed: int
    examples: Counter = field(default_factory=Counter)  # by operation
    probes: Counter = field(default_factory=Counter)  # further requests of checks, by operation
    statuses: defaultdict = field(default_factory=lambda: defaultdict(Counter))  # by operation
    phases: Counter = field(default_factory=Counter)
    links: Counter = field(default_factory=Counter)  # followed, by source and target
    checked: Counter = field(default_factory=Counter)  # answers by check
    failures: dict = field(default_factory=dict)  # by failed check, with one request that shows it
    errors: list = field(default_factory=list)
    seconds: float = 0.0

    @property
    def total(self):
        """Examples in all: generated requests whose responses were checked."""
        return sum(self.examples.values())

    def take(self, event):
        """Count an event of the engine."""
        if isinstance(event, events.ScenarioFinished):
            self._take_scenario(event)
        elif isinstance(event, events.NonFatalError | events.FatalError):
            self.errors.append(str(getattr(event, "info", None) or event.exception))

    def _take_scenario(self, event):
        recorder = event.recorder
        for case_id, interaction in recorder.interactions.items():
            label = recorder.cases[case_id].value.operation.label
            is_example = case_id in recorder.checks
            self._take_link(recorder, case_id)
            (self.examples if is_example else self.probes)[label] += 1
            self.phases[event.phase.value] += is_example
            self.statuses[label][interaction.response.status_code if interaction.response else 0] += 1
        for case_id, nodes in recorder.checks.items():
            for node in nodes:
                self.checked[node.name] += 1
                if node.failure_info is not None:
                    self._note(recorder, case_id, node)

    def _take_link(self, recorder, case_id):
        node = recorder.cases[case_id]
        if node.transition is not None and node.is_transition_applied and node.parent_id in recorder.cases:
            self.links[recorder.cases[node.parent_id].value.operation.label, node.value.operation.label] += 1

    def _note(self, recorder, case_id, node):
        label = recorder.cases[case_id].value.operation.label
        failure = node.failure_info.failure
        interaction = recorder.interactions.get(case_id)
        answer = interaction.response.text[:600] if interaction and interaction.response else ""
        key = (label, node.name, failure.title, failure.message[:300])
        self.failures.setdefault(key, f"{node.failure_info.code_sample}\n{answer}")


class Sample:
    """A data folder with the sample site and a key with all scopes, to be copied for each part."""

    def __init__(self, folder):
        self._folder, self._copies = folder, 0
        installation = Installation(folder / "made", sample_site=True)
        self.key = installation.manage("create_api_key", "contract", "--all-scopes")
        with installation.serve() as server, server.client(self.key) as client:
            for accounts, names in ((client.users, USERS), (client.administrators, ADMINISTRATORS)):
                for name in names:
                    accounts.create({"userName": name, "password": "lantern-27"})
            self.places = [(content["channelId"], content["id"]) for content in client.contents.iterate(1)]

    def copy(self):
        """A fresh installation."""
        self._copies += 1
        data = self._folder / f"copy-{self._copies}"
        shutil.copytree(self._folder / "made", data)
        return Installation(data, administrator=False)


def run(sample, size, seed, *, document=DOCUMENT, parts=PARTS, only=None, tell=lambda line: None):
    """The findings of a whole run; `only` is a regular expression of paths."""
    findings = Findings(seed)
    began = time.monotonic()
    for name, part in parts.items():
        with sample.copy().serve(**SETTINGS) as server:
            config = configuration(server.address, sample.key, seed, size, part.phases)
            for event in from_schema(_schema(document, config, Aim(sample.places), part, only)).execute():
                findings.take(event)
        tell(f"{name}: {findings.total} examples so far, {len(findings.failures)} findings")
    findings.seconds = time.monotonic() - began
    return findings


def _schema(document, config, aim, part, only):
    schema = schemathesis.openapi.from_path(document, config=schemathesis.Config.from_dict(config))
    schema.hook("filter_case")(lambda context, case: is_read(case))
    schema.hook("map_case")(lambda context, case: aim.lead(case))
    return schema.include(
        lambda context: re.search(only or ".", context.operation.path), method=list(part.verbs), path_regex=part.paths
    )
