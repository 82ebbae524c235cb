from cms_api.sql_endpoint import views
from cms_api.stl.views import element

urlpatterns = [
    element("sqlContents", views.SqlContentsView),
    element("sqlContent", views.SqlContentView),
]
