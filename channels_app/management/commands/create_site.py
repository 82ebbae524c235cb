"""`manage.py create_site`: a new site with its home channel, without contents."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError, transaction
from django.db.models import Max

from channels_app.services import create_site
from cms_api import audit
from cms_api.rest.names import to_wire
from sites.models import Site

# Name and index of the home channel of every site that the original makes.
HOME = "首页"


class Command(BaseCommand):
    help = (
        "Creates an empty site with its home channel. The last line of standard output names its number, "
        "which is also that of the home channel."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the site")
        parser.add_argument(
            "--site-dir",
            default="",
            metavar="DIR",
            help="folder of the site, the first part of its addresses; only a root site may do without",
        )
        parser.add_argument("--root", action="store_true", help="make it the root site, whose addresses begin with /")
        parser.add_argument(
            "--parent", type=int, metavar="ID", help="number of the site below whose folder this one's stands"
        )

    def handle(self, *, name: str, site_dir: str, root: bool, parent: int | None, **options: Any) -> None:
        fields = {
            "site_dir": site_dir.strip(),
            "is_root": root,
            "parent_id": parent,
            "taxis": (Site.objects.aggregate(last=Max("taxis"))["last"] or 0) + 1,
        }
        _check(name.strip(), fields)
        try:
            with transaction.atomic():
                site = create_site(name.strip(), home_name=HOME, home={"index_name": HOME}, **fields)
                audit.note("site.created", site, site_id=site.pk)
        except IntegrityError as error:
            # Another one came between the check and the writing. The check now tells what is taken.
            _check(name.strip(), fields)
            raise CommandError("Something else changed the sites at this moment; nothing was created.") from error
        self.stdout.write(f"siteId={site.pk}")


def _check(name: str, fields: dict[str, Any]) -> None:
    if not name:
        raise CommandError("The site needs a name that is not blank.")
    if not fields["site_dir"] and not fields["is_root"]:
        raise CommandError("Only the root site may do without a folder; give one with --site-dir, or --root.")
    if root := fields["is_root"] and Site.objects.filter(is_root=True).first():
        raise CommandError(f"Site {root.pk} is the root site already; give a folder with --site-dir and no --root.")
    if fields["parent_id"] is not None and not Site.objects.filter(pk=fields["parent_id"]).exists():
        raise CommandError(f"There is no site {fields['parent_id']}; --parent takes the number of a site.")
    try:
        # Constraints are for the database: it says of two at once which is the second, and the checks above why.
        Site(site_name=name, **fields).full_clean(exclude=["id", "web_url"], validate_constraints=False)
    except ValidationError as error:
        raise CommandError(" ".join(_sentence(*item) for item in error.message_dict.items())) from error


def _sentence(field: str, messages: list[str]) -> str:
    place = "" if field == NON_FIELD_ERRORS else f"{to_wire(field)}: "
    return place + " ".join(messages)
