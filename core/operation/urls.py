from django.urls import path

from core.operation.views import LiveView, MetricsView, ReadyView, RestartView

urlpatterns = [
    path("actions/restart", RestartView.as_view()),
    path("health/live", LiveView.as_view()),
    path("health/ready", ReadyView.as_view()),
    path("metrics", MetricsView.as_view()),
]
