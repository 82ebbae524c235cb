from django.urls import path

from contents import views

urlpatterns = [
    path("contents", views.ContentListView.as_view()),
    path("contents/check", views.CheckView.as_view()),
    path("contents/actions/check", views.CheckView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>", views.ContentsOfChannelView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/<id:content_id>", views.ContentView.as_view()),
]
