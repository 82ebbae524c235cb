"""Trees of channels to begin a site with, in the language of who makes it."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Starter:
    """A tree to begin with, as somebody would type it."""

    label: str | Promise
    outline: str | Promise


STARTERS = {
    "company": Starter(
        _("A company"),
        _(
            "About us\n  Who we are\n  History\n  Contact\nNews\n  Company news\n  Industry news\nProducts\n"
            "Services\n  Support\n  Downloads\nJobs"
        ),
    ),
    "school": Starter(
        _("A school or an institute"),
        _(
            "About\n  Overview\n  Leadership\n  Departments\nNews\nNotices\nTeaching\n  Courses\n  Timetables\n"
            "Research\nAdmissions\nCampus life\nContact"
        ),
    ),
    "magazine": Starter(
        _("A magazine"),
        _("Headlines\nPolitics\nEconomy\nCulture\n  Books\n  Films\n  Music\nSports\nOpinion\nPictures\nVideos"),
    ),
}
