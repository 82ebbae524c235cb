"""The command create_site: a site with its home channel, or a clear refusal."""

import io
import threading

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from channels_app.models import Channel
from sites.models import Site
from tests.factories import SiteFactory

pytestmark = pytest.mark.django_db


def run(*arguments):
    """Run the command and return the lines that it printed."""
    out = io.StringIO()
    call_command("create_site", *map(str, arguments), stdout=out)
    return out.getvalue().splitlines()


def refusal(*arguments):
    """Why the command refused, after making sure that nothing was left behind."""
    before = Site.objects.count(), Channel.objects.count()
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert (Site.objects.count(), Channel.objects.count()) == before
    return str(caught.value)


def test_makes_a_site_with_its_home_channel():
    SiteFactory(taxis=7)
    lines = run("Museum 博物馆", "--site-dir", "museum")
    site = Site.objects.get(site_dir="museum")
    home = Channel.objects.get(pk=site.pk)
    assert lines == [f"siteId={site.pk}"]
    assert (site.site_name, site.is_root, site.parent_id, site.taxis) == ("Museum 博物馆", False, None, 8)
    assert (site.web_url, site.table_name, site.settings) == ("/museum", f"siteserver_Content_{site.pk}", {})
    assert (home.channel_name, home.index_name, home.site_id, home.parent_id) == ("首页", "首页", site.pk, None)


def test_the_first_site_has_taxis_one():
    run("Museum", "--site-dir", "museum")
    assert Site.objects.get().taxis == 1


@pytest.mark.parametrize("options,site_dir", [([], ""), (["--site-dir", "www"], "www")])
def test_makes_a_root_site(options, site_dir):
    run("Museum", "--root", *options)
    site = Site.objects.get()
    assert (site.is_root, site.site_dir, site.web_url) == (True, site_dir, "")


def test_makes_a_site_below_another():
    above = SiteFactory(site_dir="a")
    run("Museum", "--site-dir", "api", "--parent", above.pk)
    assert Site.objects.get(site_dir="api").web_url == "/a/api"


NO_FOLDER = "A site other than the root site needs a folder: use --site-dir or --root."
NO_PART = "cannot be the folder of a site: a folder must be a single part of a URL."


@pytest.mark.parametrize("arguments,message", [
    ([" ", "--site-dir", "a"], "The name of the site must not be blank."),
    (["n" * 256, "--site-dir", "a"], "siteName: Ensure this value has at most 255 characters (it has 256)."),
    (["Museum"], NO_FOLDER),
    (["Museum", "--site-dir", " "], NO_FOLDER),
    (["Museum", "--site-dir", ".."], f'siteDir: ".." {NO_PART}'),
    (["Museum", "--site-dir", "a/b"], f'siteDir: "a/b" {NO_PART}'),
    (["Museum", "--site-dir", "d" * 256], "siteDir: Ensure this value has at most 255 characters (it has 256)."),
    (["Museum", "--site-dir", "Admin"], 'siteDir: The folder "Admin" is reserved for the service; choose another one.'),
    (["Museum", "--site-dir", "a", "--parent", "999"], "There is no site 999; --parent takes the id of a site."),
    (["Museum", "--site-dir", "a", "--parent", "0"], "There is no site 0; --parent takes the id of a site."),
])  # fmt: skip
def test_refuses_what_cannot_be_a_site(arguments, message):
    assert refusal(*arguments) == message


@pytest.mark.parametrize("taken,asked", [("museum", "museum"), ("museum", "MUSEUM"), ("Übersee", "übersee")])
def test_refuses_a_taken_folder_in_any_letter_case(taken, asked):
    owner = SiteFactory(site_dir=taken)
    assert refusal("Museum", "--site-dir", asked) == f'siteDir: The folder "{asked}" belongs to site {owner.pk}.'


def test_refuses_a_second_root_site():
    root = SiteFactory(is_root=True, site_dir="")
    expected = f"Site {root.pk} is already the root site; give a folder with --site-dir and leave out --root."
    assert refusal("Museum", "--root") == refusal("Museum", "--root", "--site-dir", "a") == expected


def test_refuses_a_root_site_below_another():
    parent = SiteFactory()
    assert refusal("Museum", "--root", "--parent", parent.pk) == "parent: The root site cannot have a parent."


@pytest.mark.parametrize("blind,message", [
    (1, 'siteDir: The folder "museum" belongs to site {}.'),
    (2, "Another process changed the sites at the same time; nothing was created. Try again."),
])  # fmt: skip
def test_a_folder_that_is_taken_between_check_and_writing_is_refused_clearly(monkeypatch, blind, message):
    owner = SiteFactory(site_dir="museum")
    real, calls = Site.full_clean, []

    def full_clean(site, *args, **kwargs):
        calls.append(site)
        return None if len(calls) <= blind else real(site, *args, **kwargs)

    monkeypatch.setattr(Site, "full_clean", full_clean)
    assert refusal("Museum", "--site-dir", "museum") == message.format(owner.pk)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("options", [["--site-dir", "museum"], ["--root"]])
def test_of_two_at_once_one_succeeds_and_the_other_is_told_why(options):
    outcomes, start = [], threading.Barrier(2)

    def create():
        start.wait()
        try:
            outcomes.append(run("Museum", *options)[-1])
        except CommandError as error:
            outcomes.append(str(error))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=create) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    site = Site.objects.get()
    refused, made = sorted(outcomes, key=lambda outcome: outcome.startswith("siteId="))
    assert made == f"siteId={site.pk}"
    assert f"belongs to site {site.pk}" in refused or f"Site {site.pk} is already the root site" in refused
    assert Channel.objects.count() == 1
