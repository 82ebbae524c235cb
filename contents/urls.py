from django.urls import path

from cms_api.stl.views import element
from contents import stl, views

urlpatterns = [
    path("contents", views.ContentListView.as_view()),
    path("contents/check", views.CheckView.as_view()),
    path("contents/actions/check", views.CheckView.as_view()),
    path("contents/<id:site_id>", views.ContentsOfSiteView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>", views.ContentsOfChannelView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/<id:content_id>", views.ContentView.as_view()),
    element("content", stl.ContentView),
    element("contents", stl.ContentsView),
    element("a", stl.AView),
    element("count", stl.CountView),
]
