from core.lib.registrations import AdminPage, PeriodicTask

ADMIN_PAGES = {"search": AdminPage("search/", "search.page.search_view")}

PERIODIC_TASKS = {"search.following": PeriodicTask(1.0, "search.following.follow")}
