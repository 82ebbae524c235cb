"""Draws where a worker spends its time, as a flame graph for each of a few requests.

    .venv/bin/pip install py-spy
    .venv/bin/python benchmarks/flame_graphs.py --name after

py-spy samples a worker of the service, started as `make run` does, while wrk sends the requests of compare.py. The
graphs are benchmarks/flames/REQUEST-NAME.svg; in a browser, a click enlarges a function.
"""

import argparse
import os
import re
import subprocess
from pathlib import Path

import compare
import databases
import limit
from servers import Server

REQUESTS = ("get", "list20", "create", "stl-title")
FOLDER = Path(__file__).with_name("flames")
SECONDS, PER_SECOND = 12, 400  # of a recording, and its samples


def main() -> None:
    """Record all requests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("CMS_DATABASE_URL") or f"{databases.POSTGRESQL}{databases.PREFIX}_100k"
    parser.add_argument("--database", default=default, help="made by dataset.py (default: %(default)s)")
    parser.add_argument("--name", default="now", help="of the recording (default: %(default)s)")
    parser.add_argument("--to", type=Path, default=FOLDER, help="folder of the graphs")
    databases.add_folder_option(parser)
    options = parser.parse_args()
    databases.open_service(options.database, options.folder)
    limit.prepare(options.database)  # its tables lose the created contents as well
    operations = {each.name: each for each in compare.make_operations()}
    key, newest = compare.issue_key(), compare.newest_content()
    options.to.mkdir(exist_ok=True)
    for name in REQUESTS:
        lines = options.folder / f"{name}.requests"
        lines.write_text("\n".join(operations[name].lines) + "\n", encoding="utf-8")
        with Server("cms_api.wsgi", is_deployed=True, workers=1) as server:
            compare.load(server, lines, key, 4, 2)
            graph = options.to / f"{name}-{options.name}.svg"
            command = ["py-spy", "record", "--pid", str(compare.workers(server)[0]), "--output", str(graph)]
            command += ["--duration", str(SECONDS), "--rate", str(PER_SECOND)]
            recording = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            compare.load(server, lines, key, 4, SECONDS + 2)
            recording.wait()
        # py-spy writes its command, with the paths of this machine, as the title.
        graph.write_text(re.sub(r">py-spy [^<]*<", f">{graph.stem}<", graph.read_text()))
    compare.remove_after(newest, options.database)


if __name__ == "__main__":
    main()
