"""Security headers of the API depend on whether a request came over HTTPS."""

from django.test import Client


def test_over_plain_http_nothing_binds_the_browser_to_https(settings):
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 60
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    header, client = "Strict-Transport-Security", Client()
    assert header in client.get("/api/v1/ping", HTTP_X_FORWARDED_PROTO="https").headers
    exempt, redirected = client.get("/api/v1/health/live"), client.get("/api/v1/ping")
    assert (exempt.status_code, redirected.status_code) == (200, 301)
    assert header not in exempt.headers
    assert header not in redirected.headers
