"""Any sequence of changes leaves the tree that plain lists make of it (a model without a database)."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels_app import services
from channels_app.models import Channel, ChannelAncestor
from channels_app.tree_fields import Survey, TreeFields
from contents.models import Content
from core.lib.errors import InvalidInput, NotFound
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory, SiteFactory


class Node:
    """A channel: its children in order, without those in the trash, which still know their parent."""

    def __init__(self, pk, parent=None):
        self.pk, self.parent, self.children = pk, parent, []
        self.before = None  # which it stood when it went to the trash

    @property
    def home(self):
        return self if self.parent is None else self.parent.home

    @property
    def above(self):
        return [] if self.parent is None else [*self.parent.above, self.parent]

    @property
    def is_present(self):
        return self.parent is None or (self in self.parent.children and self.parent.is_present)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


class Model:
    """Two sites of channels."""

    def __init__(self):
        self.homes = [Node(SiteFactory().pk) for _ in range(2)]
        self.nodes = list(self.homes)
        self.contents = []  # the channel of each

    def pick(self, number):
        return self.nodes[number % len(self.nodes)]

    def create(self, node):
        if node.is_present:
            made = Node(ChannelFactory(parent=Channel.objects.get(pk=node.pk)).pk, node)
            node.children.append(made)
            self.nodes.append(made)

    def write(self, node):
        if node.is_present:
            ContentFactory(channel=Channel.objects.get(pk=node.pk), tags="t", is_hot=node.pk % 2 == 0)
            self.contents.append(node)

    def refuses_move(self, node, parent, before):
        if not node.is_present:
            return NotFound
        if node.parent is None or not parent.is_present or parent.home != node.home:
            return InvalidInput
        if parent == node or node in parent.above:
            return InvalidInput
        return InvalidInput if before is not None and before not in parent.children else None

    def move(self, node, parent, before):
        acted = self.act(
            self.refuses_move(node, parent, before),
            lambda: services.move_channel(node.home.pk, node.pk, parent.pk, before and before.pk),
        )
        if acted and before != node:
            node.parent.children.remove(node)
            node.parent = parent
            parent.children.insert(parent.children.index(before) if before else len(parent.children), node)

    def trash(self, node):
        refusal = NotFound if not node.is_present else InvalidInput if node.parent is None else None
        if self.act(refusal, lambda: services.trash_channel(node.home.pk, node.pk)):
            siblings = node.parent.children
            place = siblings.index(node)
            node.before = next(iter(siblings[place + 1 :]), None)
            siblings.remove(node)

    def restore(self, node):
        refusal = None
        if node.parent is None or node in node.parent.children:
            refusal = NotFound  # not in the trash, or by the deletion of a channel above it
        elif not node.parent.is_present:
            refusal = InvalidInput
        if self.act(refusal, lambda: services.restore_channel(node.home.pk, node.pk)):
            siblings, following = node.parent.children, node.before
            while following is not None and following.parent == node.parent and following not in siblings:
                following = following.before
            is_there = following in siblings
            siblings.insert(siblings.index(following) if is_there else len(siblings), node)

    def act(self, refusal, service):
        if refusal is None:
            service()
            return True
        with pytest.raises(refusal):
            service()
        return False

    def figures(self, home):
        return {
            node.pk: TreeFields(
                ",".join(str(one.pk) for one in node.above),
                len(node.above),
                len(node.children),
                node.parent is None or node.parent.children[-1] == node,
                taxis,
            )
            for taxis, node in enumerate(home.walk(), start=1)
        }

    def ancestors(self):
        return {(node.pk, one.pk) for node in self.nodes for one in [*node.above, node]}


def stored_figures(site_id):
    rows = Channel.objects.in_site(site_id).values_list("pk", *TreeFields._fields)
    return {pk: TreeFields(*values) for pk, *values in rows}


def assert_as_in(model):
    for home in model.homes:
        assert stored_figures(home.pk) == model.figures(home)
        assert Survey(home.pk).problems == []
    assert set(ChannelAncestor.objects.values_list("channel_id", "ancestor_id")) == model.ancestors()
    present = Content.objects.live().values_list("channel_id", flat=True)
    assert sorted(present) == sorted(node.pk for node in model.contents if node.is_present)
    assert_derived()


places = st.integers(0, 30)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("create"), places),
        st.tuples(st.just("create"), places),
        st.tuples(st.just("write"), places),
        st.tuples(st.just("move"), places, places, st.none()),
        st.tuples(st.just("move"), places, places, places),
        st.tuples(st.just("move_beside"), places, places),
        st.tuples(st.just("trash"), places),
        st.tuples(st.just("restore"), places),
    ),
    min_size=5,
    max_size=25,
)


@pytest.mark.django_db
@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(places, min_size=3, max_size=8), CHANGES)
def test_any_changes_leave_the_tree_that_plain_lists_make(first, changes):
    with transaction.atomic():
        model = Model()
        for place in first:
            model.create(model.pick(place))
        for kind, *numbers in changes:
            picked = [None if number is None else model.pick(number) for number in numbers]
            if kind == "move_beside":  # most places of two free choices are none
                node, before = picked
                model.move(node, before.parent or before, before)
            else:
                getattr(model, kind)(*picked)
        assert_as_in(model)
        out = StringIO()
        call_command("check_tree", stdout=out)
        assert out.getvalue() == "The trees are correct.\n"
        transaction.set_rollback(True)
