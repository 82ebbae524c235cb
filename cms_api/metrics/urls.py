from django.urls import path

from cms_api.metrics.views import MetricsView

urlpatterns = [path("metrics", MetricsView.as_view())]
