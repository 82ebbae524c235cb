from core.lib.registrations import PeriodicTask

PERIODIC_TASKS = {"search.following": PeriodicTask(1.0, "search.following.follow")}
