from django.urls import path

from accounts import views
from accounts.models import Administrator, User
from accounts.serializers import AdministratorLoginSerializer

urlpatterns = [
    path("administrators", views.AdministratorsView.as_view()),
    path("administrators/<id:administrator_id>", views.AdministratorView.as_view()),
    path(
        "administrators/actions/login",
        views.LoginView.as_view(kind=Administrator, serializer=AdministratorLoginSerializer),
    ),
    path("administrators/actions/logout", views.AdministratorLogoutView.as_view()),
    path("administrators/actions/resetPassword", views.AdministratorPasswordView.as_view()),
    path("users", views.UsersView.as_view()),
    path("users/<id:user_id>", views.UserView.as_view()),
    path("users/<id:user_id>/logs", views.UserLogsView.as_view()),
    path("users/<id:user_id>/avatar", views.AvatarView.as_view()),
    path("users/<id:user_id>/actions/resetPassword", views.OwnPasswordView.as_view()),
    path("users/actions/login", views.LoginView.as_view(kind=User)),
    path("users/actions/logout", views.UserLogoutView.as_view()),
    path("users/actions/resetPassword", views.UserPasswordView.as_view()),
    path("captcha/<name>", views.CaptchaView.as_view()),
    path("captcha/<name>/actions/check", views.CaptchaCheckView.as_view()),
]
