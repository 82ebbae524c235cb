from django.urls import path

from accounts.views import administrators, avatars, captcha, sign_in, users

urlpatterns = [
    path("administrators", administrators.AdministratorsView.as_view()),
    path("administrators/<id:administrator_id>", administrators.AdministratorView.as_view()),
    path("administrators/actions/login", sign_in.AdministratorLoginView.as_view()),
    path("administrators/actions/logout", sign_in.AdministratorLogoutView.as_view()),
    path("administrators/actions/resetPassword", sign_in.AdministratorPasswordView.as_view()),
    path("users", users.UsersView.as_view()),
    path("users/<id:user_id>", users.UserView.as_view()),
    path("users/<id:user_id>/logs", users.UserLogsView.as_view()),
    path("users/<id:user_id>/avatar", avatars.AvatarView.as_view()),
    path("users/<id:user_id>/actions/resetPassword", sign_in.OwnPasswordView.as_view()),
    path("users/actions/login", sign_in.UserLoginView.as_view()),
    path("users/actions/logout", sign_in.UserLogoutView.as_view()),
    path("users/actions/resetPassword", sign_in.UserPasswordView.as_view()),
    path("captcha/<name>", captcha.CaptchaView.as_view()),
    path("captcha/<name>/actions/check", captcha.CaptchaCheckView.as_view()),
]
