"""Facts of a site that its pages need: templates, kinds of fields and more, cached under the number of the site's tree.

Triggers renew that number with every change, so a process with a cached copy only reads the number, which comes with
the tree.
"""

from threading import Lock

from cachetools import LRUCache

from channels_app.tree import Tree
from media_library.replaced import marker_of
from pages.models import FormerRule, Template, TemplateKind
from sites.models import FieldDefinition

_MAX_SITES = 100


class SiteFacts:
    def __init__(self, site_id: int) -> None:
        self.templates = {template.pk: template for template in Template.objects.filter(site_id=site_id).order_by("pk")}
        found = self.templates.values()
        self._defaults = {template.kind: template for template in found if template.is_default}
        # By the path of their page below the site's address.
        self.files = {f"/{each.page_path}": each for each in found if each.kind == TemplateKind.FILE and each.page_path}
        self.includes = {each.name.casefold(): each.text for each in found if each.kind == TemplateKind.INCLUDE}
        definitions = FieldDefinition.objects.filter(site_id=site_id)
        self.fields = {(definition.owner, definition.folded_name): definition for definition in definitions}
        self.former_rules = list(
            FormerRule.objects.filter(site_id=site_id).order_by("-pk").values_list("rule", flat=True)
        )

        self.mark_replaced = marker_of(site_id)

    def find(self, kind: TemplateKind, template_id: int = 0) -> Template | None:
        """Return the template of the id if it is of the kind, else the default of the kind."""
        template = self.templates.get(template_id)
        return template if template is not None and template.kind == kind else self._defaults.get(kind)


_kept: LRUCache[int, tuple[int, SiteFacts]] = LRUCache(_MAX_SITES)
_lock = Lock()


def facts_of(tree: Tree) -> SiteFacts:
    """Return the facts of the tree's site, as current as the tree."""
    site_id, number = tree.site.pk, tree.number
    with _lock:
        kept = _kept.get(site_id)
    if kept is not None and number is not None and kept[0] == number:
        return kept[1]
    facts = SiteFacts(site_id)
    if number is not None:
        with _lock:
            _kept[site_id] = (number, facts)
    return facts
