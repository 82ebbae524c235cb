from django.urls import path

from contents.api import batches, fields, previews, schedules, search, views
from contents.stl import elements
from core.stl.views import element

urlpatterns = [
    path("contents", views.ContentListView.as_view()),
    path("contents/check", views.CheckView.as_view()),
    path("contents/actions/check", views.CheckView.as_view()),
    path("contents/<id:site_id>/schedules", schedules.SchedulesView.as_view()),
    path("contents/<id:site_id>", views.ContentsOfSiteView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>", views.ContentsOfChannelView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/batch", batches.BatchOfContentsView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/batch/check", batches.CheckBatchView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/batch/move", batches.MoveBatchView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/batch/delete", batches.DeleteBatchView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/<id:content_id>", views.ContentView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/<id:content_id>/schedule", schedules.ScheduleView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/<id:content_id>/preview", previews.NewPreviewView.as_view()),
    path("sites/<id:site_id>/fields", fields.FieldsView.as_view()),
    path("search", search.SearchView.as_view()),
    path("search/suggestions", search.SuggestionsView.as_view()),
    path("previews/<token>", previews.PreviewView.as_view()),
    path("previews/<token>/page", previews.PreviewPageView.as_view()),
    element("content", elements.ContentView),
    element("contents", elements.ContentsView),
    element("a", elements.AView),
    element("count", elements.CountView),
]
