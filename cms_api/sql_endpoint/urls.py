from cms_api.sql_endpoint import views
from core.stl.views import element

urlpatterns = [
    element("sqlContents", views.SqlContentsView),
    element("sqlContent", views.SqlContentView),
]
