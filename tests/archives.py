"""Archives, and such as somebody makes who knows their form."""

import hashlib
import io
import json
import tarfile

from core.archive.container import Writer


def parts(data):
    """The members of an archive with their contents."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return [(member.name, archive.extractfile(member).read()) for member in archive]


def written(members, moment=1_700_000_000, end=True):
    """An archive of those members."""
    file = io.BytesIO()
    writer = Writer(file, moment)
    for name, content in members:
        writer.add(name, content)
    if end:
        writer.end()
    return file.getvalue()


def forged(data, change):
    """The archive with another manifest and its sum; `change` gets the manifest, and all members by their names."""
    members = dict(parts(data))
    manifest = json.loads(members["manifest.json"])
    change(manifest, members)
    members["manifest.json"] = json.dumps(manifest).encode()
    sum_line = f"{hashlib.sha256(members['manifest.json']).hexdigest()}  manifest.json\n".encode()
    members["manifest.json.sha256"] = sum_line
    return written(members.items())


class Silent:
    """A progress that nobody sees."""

    def begin(self, what, total=None):
        pass

    def advance(self, number):
        pass

    def end(self):
        pass
