from core.stl.views import element
from sites import stl

urlpatterns = [
    element("site", stl.SiteView),
    element("sites", stl.SitesView),
    element("value", stl.ValueView),
]
