"""CMS_WEBHOOK_NETWORKS: a wrong network is reported at start."""

import pytest

from webhooks.checks import check_settings


@pytest.mark.parametrize("network", ["10.0.0.0/33", "10.0.0.1/8", "intranet", ""])
def test_what_is_no_network_is_an_error(settings, network):
    settings.CMS_WEBHOOK_NETWORKS = ["10.1.0.0/16", network]
    (problem,) = check_settings()
    assert problem.id == "webhooks.E001" and "CMS_WEBHOOK_NETWORKS" in problem.msg


@pytest.mark.parametrize("networks", [[], ["10.1.0.0/16", " fd12::/16", "192.168.1.7"]])
def test_networks_of_both_versions_are_accepted(settings, networks):
    settings.CMS_WEBHOOK_NETWORKS = networks
    assert check_settings() == []
