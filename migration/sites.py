"""Sites with their settings and groups of contents."""

from django.db import transaction
from django.db.models import Max

from contents.models import ContentGroup, ContentTag
from core import audit
from migration import records
from migration.columns import ColumnReader, Fields, typed
from migration.context import Context
from migration.layout import SITES
from migration.report import Outcome
from migration.sources.source import Row, SourceError
from migration.values import number, text
from sites.addresses import is_folder, is_reserved
from sites.models import Site, find_folder_owner
from transfer import names
from transfer.site_template import SITE_MEMBERS
from transfer.values import read_folder, read_integer, read_plain

_LONGEST_NAME = 255
_NAMES = names.SITE | names.name_table(
    ("taxis", read_integer, "Taxis"), (names.LEFT_OUT, read_plain, "LastModifiedDate")
)


def migrate_sites(context: Context) -> frozenset[int]:
    """Store the chosen sites, those above others first, and return their ids.

    Sites keep their ids. Raises SourceError for an id, or the place of the root site, that another site has.
    """
    rows = {number(row.get("id")): row for row in context.rows(SITES, "sites")}
    if missing := (context.options.site_ids or frozenset()) - rows.keys():
        raise SourceError(f"The source has no site {min(missing)}; it has {', '.join(map(str, sorted(rows)))}.")
    for pk in [pk for pk in rows if pk <= 0]:
        context.report.find("A site without a number was left out.", f"siteserver_Site {pk}")
        context.report.add("sites", Outcome.LEFT_OUT)
        del rows[pk]
    chosen = {pk: row for pk, row in rows.items() if context.options.asks_for(pk)}
    known = records.target_ids(SITES)
    _require_free(chosen, known)
    here = set(Site.objects.values_list("pk", flat=True))
    for pk in [pk for pk in chosen if pk in known and pk not in here]:
        context.report.find("A site has been deleted here; it is not created again.", f"siteserver_Site {pk}")
        context.report.add("sites", Outcome.LEFT_OUT)
        del chosen[pk]
    for pk in _from_above(chosen):
        _store(
            context,
            pk,
            chosen[pk],
            is_new=pk not in known,
            is_parent_known=number(chosen[pk].get("parentid")) in chosen,
        )
    _store_groups(context, set(chosen))
    _store_tags(context, set(chosen))
    return frozenset(chosen)


def _require_free(rows: dict[int, Row], known: dict[int, int]) -> None:
    for pk in rows.keys() - known.keys():
        if site := Site.with_trash.filter(pk=pk).first():
            raise SourceError(
                f"Site {pk} here is {site.site_name}, and the source has another site {pk}. Migrate into an "
                "installation that has no site of this number."
            )


def _from_above(rows: dict[int, Row]) -> list[int]:
    """Return the sites in order, each after the site above it; sites in a cycle keep their order."""
    ordered: list[int] = []
    waiting = sorted(rows, key=lambda pk: (number(rows[pk].get("taxis")), pk))
    while waiting:
        ready = [pk for pk in waiting if number(rows[pk].get("parentid")) not in waiting] or waiting[:1]
        ordered += ready
        waiting = [pk for pk in waiting if pk not in ready]
    return ordered


@transaction.atomic
def _store(context: Context, pk: int, row: Row, *, is_new: bool, is_parent_known: bool) -> None:
    place = f"siteserver_Site {pk}"
    digest = records.digest_of(row)
    before = records.find(SITES, [pk]).get(pk)
    if before and before.digest == digest:
        context.report.add("sites", Outcome.UNCHANGED)
        return
    fields, settings = ColumnReader(Site, _NAMES, context).read(row, place)
    fields["settings"] = typed(settings, SITE_MEMBERS, context, place)
    fields["parent_id"] = number(row.get("parentid")) if is_parent_known else None
    _find_place(context, pk, fields, place)
    site = Site(pk=pk) if is_new else Site.objects.get(pk=pk)
    for name, value in _with_order(fields, is_new=is_new).items():
        setattr(site, name, value)
    site.save(force_insert=is_new)
    audit.record("site.imported" if is_new else "site.changed", site, site_id=pk, source=context.source.description)
    context.store(SITES, [(pk, pk, digest)])
    context.report.add("sites", Outcome.NEW if is_new else Outcome.UPDATED)


def _with_order(fields: Fields, *, is_new: bool) -> Fields:
    """Put a new site behind all others; others keep their place."""
    others = {name: value for name, value in fields.items() if name != "taxis"}
    if not is_new:
        return others
    return others | {"taxis": (Site.objects.aggregate(last=Max("taxis"))["last"] or 0) + 1}


def _find_place(context: Context, pk: int, fields: Fields, place: str) -> None:
    """Give the site a unique name and folder."""
    if not fields.get("site_name", "").strip():
        context.report.find("A site had no name; it got its number as name.", place)
        fields["site_name"] = f"#{pk}"
    folder = read_folder(fields.get("site_dir", ""), context.options.time_zone)
    fields["site_dir"] = folder
    if fields.get("is_root"):
        other = Site.objects.filter(is_root=True).exclude(pk=pk).first()
        if other:
            raise SourceError(f"Site {other.pk} here is the root site, and so is site {pk} of the source.")
        fields["parent_id"] = None
    is_top = fields["parent_id"] is None
    if not folder and fields.get("is_root"):
        return
    if not is_folder(folder) or (is_top and is_reserved(folder)) or find_folder_owner(folder, but=pk):
        fields["site_dir"] = f"site-{pk}"
        told = "The folder of a site is taken, reserved or impossible here; the site got another one."
        context.report.find(told, place, f"{folder[:100]} → {fields['site_dir']}")


def _store_groups(context: Context, site_ids: set[int]) -> None:
    found: dict[tuple[int, str], ContentGroup] = {}
    for row in context.rows("siteserver_contentgroup", "groups of contents"):
        site_id, name = number(row.get("siteid")), text(row.get("groupname")).strip()[:_LONGEST_NAME]
        if site_id in site_ids and name:
            taxis, description = number(row.get("taxis")), text(row.get("description"))
            group = ContentGroup(site_id=site_id, group_name=name, taxis=taxis, description=description)
            found.setdefault((site_id, name), group)
        elif context.options.asks_for(site_id):
            told = "A group of contents without a name, or of no site that is here, was left out."
            context.report.find(told, f"siteserver_ContentGroup {number(row.get('id'))}", name)
            context.report.add("groups of contents", Outcome.LEFT_OUT)
    groups = ContentGroup.objects.filter(site_id__in=site_ids)
    known = set(groups.values_list("site_id", "group_name"))
    for key, group in found.items():
        context.report.add("groups of contents", Outcome.UNCHANGED if key in known else Outcome.NEW)
        if key not in known:
            group.save()


def _store_tags(context: Context, site_ids: set[int]) -> None:
    """Store tags without contents; others are stored with their contents."""
    found = set()
    for table in ("siteserver_tag", "siteserver_contenttag"):
        for row in context.source.rows(table):
            name = text(row.get("tag", row.get("tagname"))).strip()
            if number(row.get("siteid")) in site_ids and name and len(name) <= _LONGEST_NAME and "," not in name:
                found.add((number(row.get("siteid")), name))
    tags = [ContentTag(site_id=site_id, tag_name=name) for site_id, name in sorted(found)]
    ContentTag.objects.bulk_create(tags, batch_size=1000, ignore_conflicts=True)
