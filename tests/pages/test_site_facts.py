"""What a process keeps of a site's templates and fields."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.tree import read_tree
from pages.models import Template, TemplateKind
from pages.site_facts import facts_of
from sites.models import FieldDefinition
from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db


def template(site, name, **fields):
    return Template.objects.create(site=site, name=name, **{"kind": TemplateKind.CHANNEL} | fields)


def current(site):
    return facts_of(read_tree(site.pk))


def test_what_is_kept_needs_no_statement():
    tree = read_tree(SiteFactory().pk)
    facts = facts_of(tree)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert facts_of(tree) is facts
    assert not queries


CHANGES = {
    "a new template": lambda site, old: template(site, "new"),
    "a text": lambda site, old: Template.objects.filter(pk=old.pk).update(text="new"),
    "no template": lambda site, old: old.delete(),
    "a template of another site": lambda site, old: Template.objects.filter(pk=old.pk).update(site=SiteFactory()),
    "a field": lambda site, old: FieldDefinition.objects.create(site=site, owner="site", name="A", folded_name="a"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_by_any_statement_is_noticed(change):
    site = SiteFactory()
    old, kept = template(site, "old"), current(site)
    kept = current(site)
    assert current(site) is kept
    CHANGES[change](site, old)
    assert current(site) is not kept


def test_a_page_has_the_template_of_its_channel_or_the_default():
    site = SiteFactory()
    default = template(site, "default", is_default=True)
    own, other_kind = template(site, "own"), template(site, "other", kind=TemplateKind.CONTENT)
    facts = current(site)
    for number, expected in {own.pk: own, 0: default, 10**9: default, other_kind.pk: default}.items():
        assert facts.find(TemplateKind.CHANNEL, number) == expected
    assert facts.find(TemplateKind.INDEX) is None
