from django.urls import path

from forms.api import views

urlpatterns = [
    path("forms", views.EntriesView.as_view()),
    path("forms/styles", views.StylesView.as_view()),
    path("forms/actions/sendSms", views.SmsView.as_view()),
    path("forms/<id:site_id>", views.FormsView.as_view()),
    path("forms/<id:site_id>/entries/<id:entry_id>", views.EntryView.as_view()),
]
