#!/usr/bin/env python
import gc
import os
import signal
import sys


def main() -> None:
    gc.set_threshold(50_000, 20, 20)  # the server's
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cms_api.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import Error

    if sys.argv[1:] in (["version"], ["--version"]):  # Django's own would name Django's
        from core import __version__

        sys.stdout.write(f"{__version__}\n")
        sys.exit()
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except Error as error:
        from core.lib import database_faults

        if not (sentence := database_faults.sentence_of(error)):
            raise
        sys.exit(f"{sentence} ({database_faults.told(error)}) See docs/troubleshooting.md.")
    except Exception as error:
        if sys.argv[1:2] != ["restart"]:
            raise
        # Operators restart to load new code, which may be broken.
        told = f"{type(error).__name__}: {error}"
        sys.exit(
            f"The code cannot be loaded, so no server was asked to restart: {told}. `manage.py check` shows where."
        )


if __name__ == "__main__":
    try:
        try:
            main()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second Ctrl-C ends it at once
        sys.stderr.write("Interrupted.\n")
        sys.exit(128 + signal.SIGINT)
    except BrokenPipeError:
        # The reader of the output has ended, such as `head`. Python would write the rest of the buffer at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
