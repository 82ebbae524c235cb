from django.urls import path

from cms_api.health.views import LiveView, ReadyView

urlpatterns = [
    path("health/live", LiveView.as_view()),
    path("health/ready", ReadyView.as_view()),
]
