from django.urls import path

from media_library.api import folders, renditions, resumable, views

urlpatterns = [
    path("media/<id:site_id>", views.MediaListView.as_view()),
    path("media/<id:site_id>/folders", folders.FoldersView.as_view()),
    path("media/<id:site_id>/folders/<id:folder_id>", folders.FolderView.as_view()),
    path("media/<id:site_id>/<id:media_id>", views.MediaFileView.as_view()),
    path("media/<id:site_id>/<id:media_id>/file", views.MediaBytesView.as_view()),
    path("media/<id:site_id>/<id:media_id>/rendition", renditions.MediaRenditionView.as_view()),
    path("media/<id:site_id>/<id:media_id>/uses", views.MediaUsesView.as_view()),
    path("media/<id:site_id>/uploads", resumable.UploadsView.as_view()),
    path("media/<id:site_id>/uploads/<str:upload_id>", resumable.UploadView.as_view()),
]
