"""Clients that write without a pause, and know afterwards what the service has promised them."""

import random
import subprocess
import sys
import threading
import time
from collections import Counter

from cms_client import AnswerError, CmsError, NotFound

from tests.faults.common import Beside
from tools.servers import ROOT

CHANNELS = (11, 12)  # of the sample site, to which contents are added
MAX = 40  # that a client leaves alive, so that what it costs to read them all stays the same
_GONE = None  # the state of what has been deleted


class Record:
    """A content or channel that one client owns: what it may be now, by all that the client has been told.

    `kind` is the client's part for it, and `place` the numbers by which that part finds it.
    """

    def __init__(self, kind, place, member, state):
        self.kind, self.place, self.member, self.states = kind, place, member, {state}


class Writers(Beside):
    """Clients in threads, each of which creates, changes and deletes contents and channels of its own.

    A change that is acknowledged leaves one state of its record. One that gets no answer, or another than 2xx, leaves
    two: it was made, or it was not.
    """

    def __init__(self, server, key, number=4):
        super().__init__(number)
        self._server, self._key = server, key
        self.records, self.outcomes = [], Counter()
        self.pauses = []  # seconds between two acknowledged changes of a client
        self._counted = threading.Condition()

    @property
    def acknowledged(self):
        """How many changes have been."""
        return self.outcomes["acknowledged"]

    def await_acknowledged(self, number, seconds=120):
        """Return when so many more changes have been acknowledged. Raises AssertionError after so long a time."""
        with self._counted:
            target = self.acknowledged + number
            assert self._counted.wait_for(lambda: self.acknowledged >= target, seconds), self.outcomes

    def await_refused(self, number, seconds=120):
        """Return when so many more changes have got another answer, or none."""
        with self._counted:
            target = self._refused() + number
            assert self._counted.wait_for(lambda: self._refused() >= target, seconds), self.outcomes

    def _refused(self):
        return sum(self.outcomes.values()) - self.acknowledged

    def run(self, number):
        """Change without a pause; one of the threads."""
        with self._server.client(self._key) as client:
            self._write(client, number)

    def _write(self, client, number):
        chance, own, changes, last = random.Random(number), [], 0, time.monotonic()
        while not self.end.is_set():
            changes += 1
            own = [record for record in own if record.states != {_GONE}]
            outcome = self._change(client, chance, own, f"{chance.getrandbits(64):016x} {changes}")
            with self._counted:
                if outcome == "acknowledged":
                    self.pauses.append(time.monotonic() - last)
                    last = time.monotonic()
                self.outcomes[outcome] += 1
                self._counted.notify_all()
            if outcome != "acknowledged":
                self.end.wait(0.05)  # as a client does that is refused

    def _change(self, client, chance, own, name):
        kind = chance.choices(("create", "change", "delete", "branch"), (4, 4, 1, 1))[0] if own else "create"
        if kind in ("create", "branch") and len(own) >= MAX:
            kind = "delete"
        if kind in ("create", "branch"):
            return self._create(client, own, name, kind == "branch", chance.choice(CHANNELS))
        record = chance.choice(own)
        part, state = getattr(client, record.kind), _GONE if kind == "delete" else name
        if kind == "delete":
            outcome, _ = outcome_of(part.delete, *record.place)
        else:
            outcome, _ = outcome_of(part.update, *record.place, {record.member: name})
        if outcome == "404" and _GONE in record.states:
            record.states = {_GONE}
            return "confirmed"  # a deletion that got no answer was made
        record.states = {state} if outcome == "acknowledged" else record.states | {state}
        return outcome

    def _create(self, client, own, name, is_channel, channel):
        kind, place, member = ("channels", (1,), "channelName") if is_channel else ("contents", (1, channel), "title")
        members = {member: name} | ({"parentId": channel} if is_channel else {})
        outcome, made = outcome_of(getattr(client, kind).create, *place, members)
        if outcome == "acknowledged":
            record = Record(kind, (*place, made["id"]), member, name)
            own.append(record)
            with self._counted:
                self.records.append(record)
        return outcome


def outcome_of(act, *arguments):
    """What becomes of an act of the client: `acknowledged`, a status or the kind of failure; and what it answers."""
    try:
        return "acknowledged", act(*arguments)
    except AnswerError as error:
        return str(error.status), None
    except CmsError as error:
        return type(error).__name__, None


def lost_changes(server, key, records):
    """What is not as it must be, in words: each acknowledged change is there, and each deletion."""
    with server.client(key) as client:
        for record in records:
            found = _found(client, record)
            if found not in record.states:
                yield f"{record.kind} {record.place} is {found!r}, and must be one of {record.states}"


def _found(client, record):
    try:
        return getattr(client, record.kind).get(*record.place)[record.member]
    except NotFound:
        return _GONE


def wrong_figures(installation):
    """What the commands find that compare trees, lists and counts with the rows they are made of."""
    for name in ("check_tree", "check_lists"):
        command = [sys.executable, "manage.py", name]
        done = subprocess.run(command, cwd=ROOT, env=installation.environment, capture_output=True, text=True)
        if done.returncode:
            yield f"{name}: {done.stdout.strip()}{done.stderr.strip()}"


def problems_after(server, installation, key, writers, allowed=()):
    """All of that, after the writers have ended; and what they were told that is neither success nor allowed."""
    yield from lost_changes(server, key, writers.records)
    yield from wrong_figures(installation)
    for outcome, number in writers.outcomes.items():
        if outcome not in ("acknowledged", "confirmed", *allowed):
            yield f"{number} answers: {outcome}"
