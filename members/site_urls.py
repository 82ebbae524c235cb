"""Paths of the pages of members below the web address of a site."""

from django.urls import path

from members import views

urlpatterns = [
    path(f"{views.PATH}sign-in", views.sign_in, name="sign_in"),
    path(f"{views.PATH}sign-out", views.sign_out, name="sign_out"),
    path(f"{views.PATH}register", views.register, name="register"),
    path(f"{views.PATH}profile", views.profile, name="profile"),
    path(f"{views.PATH}password", views.password, name="password"),
    path(f"{views.PATH}forgotten-password", views.forgotten, name="forgotten_password"),
    path(f"{views.PATH}new-password/<number>/<token>", views.new_password, name="new_password"),
    path(f"{views.PATH}me", views.me, name="me"),
]
