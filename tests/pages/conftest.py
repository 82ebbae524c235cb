import pytest

from pages import rendering
from pages.rendering import RenderedPage


@pytest.fixture
def rendered(monkeypatch):
    """Stands in for the engine: a page says what it is of, and its template's text how many pages it has."""
    requests = []

    def render(request):
        requests.append(request)
        text = request.template.text
        if text == "fail":
            raise ZeroDivisionError("secret")
        html = f"{request.template.name} {request.channel['id']} {request.content_id} {request.number} {text}"
        return RenderedPage(html, int(text) if text.isdigit() else 1, ())

    monkeypatch.setattr(rendering, "render", render)
    return requests


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    """Files of this test alone: sites of other tests have the same ids."""
    default = settings.STORAGES["default"] | {"OPTIONS": {"location": str(tmp_path / "media")}}
    settings.STORAGES = settings.STORAGES | {"default": default}
