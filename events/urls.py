from django.urls import path

from events.views import ChangesView

urlpatterns = [path("changes", ChangesView.as_view())]
