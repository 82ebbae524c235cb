from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError, transaction
from django.db.models import Max

from channels_app.services import create_site
from core import audit
from core.rest.names import to_wire
from sites.models import Site

# Name and index of every site's home channel in SiteServer.
HOME = "首页"


class Command(BaseCommand):
    help = (
        "Creates an empty site with a home channel. The last line of standard output contains the id of the site, "
        "which is also the id of its home channel."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the site")
        parser.add_argument(
            "--site-dir",
            default="",
            metavar="DIR",
            help="folder of the site, the first part of its URLs; required unless --root is set",
        )
        parser.add_argument("--root", action="store_true", help="make it the root site, whose URLs have no folder")
        parser.add_argument(
            "--parent", type=int, metavar="ID", help="id of the parent site, whose folder contains this site's"
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
                audit.record("site.created", site, site_id=site.pk)
        except IntegrityError as error:
            # Another site came between the check and the write; the check reports the conflict.
            _check(name.strip(), fields)
            raise CommandError(
                "Another process changed the sites at the same time; nothing was created. Try again."
            ) from error
        self.stdout.write(f"siteId={site.pk}")


def _check(name: str, fields: dict[str, Any]) -> None:
    if not name:
        raise CommandError("The name of the site must not be blank.", returncode=2)
    if not fields["site_dir"] and not fields["is_root"]:
        told = "A site other than the root site needs a folder: use --site-dir or --root."
        raise CommandError(told, returncode=2)
    if root := fields["is_root"] and Site.objects.filter(is_root=True).first():
        raise CommandError(
            f"Site {root.pk} is already the root site; give a folder with --site-dir and leave out --root."
        )
    if fields["parent_id"] is not None and not Site.objects.filter(pk=fields["parent_id"]).exists():
        raise CommandError(f"There is no site {fields['parent_id']}; --parent takes the id of a site.")
    try:
        # The database enforces the constraints; the checks above give the reasons.
        Site(site_name=name, **fields).full_clean(exclude=["id", "web_url"], validate_constraints=False)
    except ValidationError as error:
        wrong = [
            ("" if field == NON_FIELD_ERRORS else f"{to_wire(field)}: ") + " ".join(messages)
            for field, messages in error.message_dict.items()
        ]
        raise CommandError(" ".join(wrong)) from error
