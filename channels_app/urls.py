from django.urls import path

from channels_app import stl, views
from core.stl.views import element

urlpatterns = [
    path("channels/<id:site_id>", views.ChannelsView.as_view()),
    path("channels/<id:site_id>/<id:channel_id>", views.ChannelView.as_view()),
    path("channels/<id:site_id>/<id:channel_id>/actions/move", views.MoveView.as_view()),
    element("channel", stl.ChannelView),
    element("channels", stl.ChannelsView),
]
