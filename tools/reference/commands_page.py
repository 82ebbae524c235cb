"""docs/reference/commands.md: the output of the commands with --help."""

import re
from argparse import SUPPRESS, _SubParsersAction
from importlib import import_module
from importlib.util import find_spec

from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from tools.reference.markdown import ROOT, page, plain, table

_HEAD = """Run `manage.py COMMAND` as `.venv/bin/python manage.py COMMAND` in the code folder, under the account of the
service and with its [settings](settings.md). In a [deployment](../deploying.md) use `cms-manage`, which does both.
Arguments in brackets are optional. Unless stated otherwise, a command that fails exits with status 1, or 2 if called
incorrectly. Ctrl-C ends it with 130."""
_PAGE = re.compile(r" See docs/([\w-]+)\.md\.$")
# Those of Django that other pages name.
_OF_DJANGO = {"changepassword", "check", "collectstatic", "sendtestemail"}
_DJANGO = "https://docs.djangoproject.com/en/stable/ref/django-admin/"


def commands_page():
    """The text of the page."""
    return page("Commands", _HEAD, *map(_told, names()))


def names():
    """Every command of ours, Django's that ours replace included, and named ones of Django, by alphabet."""
    ours = (name for name, app in get_commands().items() if (ROOT / app.replace(".", "/")).is_dir())
    return sorted({*ours, *_OF_DJANGO})


def _told(name):
    command = load_command_class(get_commands()[name], name)
    return _sections("##", name, command.help, command.create_parser("manage.py", name))


def _sections(mark, name, description, parser):
    """The section of a command, with its subcommands below."""
    django = _django_command(name)
    common = {action.dest for action in (django or BaseCommand()).create_parser("manage.py", "")._actions}
    subcommands = next((each.choices for each in parser._actions if isinstance(each, _SubParsersAction)), {})
    actions = [each for each in parser._actions if each.dest not in common and each.help != SUPPRESS]
    rows = [(f"`{_in_usage(each)}`", _meaning(each)) for each in actions]
    below = (_sections(f"{mark}#", f"{name} {each}", sub.description, sub) for each, sub in subcommands.items())
    arguments = "" if subcommands else table(("Argument", "Meaning"), rows)
    of_django = f"It takes the arguments of [Django's command]({_DJANGO}#{name})." if django else ""
    return "\n\n".join(filter(None, [f"{mark} {name}", _described(description), of_django, arguments, *below]))


def _described(text):
    """The text or, if a page explains the command, its first sentence, the exit codes and a link to the page."""
    told = _PAGE.search(text)
    if not told:
        return _plain(text)
    first, *rest = re.split(r"(?<=\.) ", text[: told.start()])
    kept = [first, *(each for each in rest if each.startswith("Exits "))]
    return f"{_plain(' '.join(kept))} See [{told[1].replace('-', ' ')}](../{told[1]}.md)."


def _django_command(name):
    """Django's command that this one is or extends, if there is one."""
    for app in ("core", "contrib.auth", "contrib.staticfiles"):
        module = f"django.{app}.management.commands.{name}"
        if " " not in name and find_spec(module):
            return import_module(module).Command()
    return None


def _in_usage(action):
    text = _spelled(action)
    if action.nargs in ("*", "+"):
        text += " …"
    return text if action.required and action.nargs != "*" else f"[{text}]"


def _spelled(action):
    names = max(action.option_strings, key=len, default="")
    value = "" if action.nargs == 0 else _value_of(action)
    return " ".join(filter(None, [names, value]))


def _value_of(action):
    if action.metavar:
        return " ".join(action.metavar) if isinstance(action.metavar, tuple) else action.metavar
    return "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()


def _meaning(action):
    return _plain((action.help or "") % (vars(action) | {"prog": "manage.py"}))


def _plain(text):
    """A text of the code with the names that a shell knows in back-quotes."""
    return plain(re.sub(r"(?<![`\w])(CMS_\w+|--[a-z][\w-]*)", r"`\1`", str(text)).replace("*", r"\*"))
