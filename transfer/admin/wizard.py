from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.jobs import enqueueing, folders
from core.jobs.models import Job
from core.lib.errors import ServiceError
from sites.models import Site
from transfer.admin.wizard_forms import FORMS, PlaceForm, StepForm
from transfer.admin.wizard_state import WizardState
from transfer.new_site import NEW_SITE, SURVEY, candidates
from transfer.outline import STARTERS, OutlineChannel, read_outline
from transfer.placement import place_problems

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

TITLES = {
    "place": _("Name and address"),
    "begin": _("Starting point"),
    "channels": _("Channels"),
    "copy": _("Channels"),
    "template": _("Site template"),
    "people": _("People"),
    "summary": pgettext_lazy("step", "Summary"),
}


class Wizard:
    """A step per page; the answers are in the session, and each step has its own address."""

    def __init__(self, pages: "ModelAdmin[Any]") -> None:
        self._pages = pages

    def page(self, request: HttpRequest) -> HttpResponse:
        """Show a step; a POST stores its answers, and the last one starts the job."""
        state = WizardState(request)
        if "survey" in request.GET:
            return self._take_template(request, state)
        if not request.GET and request.method == "GET":
            state.forget()
        step = state.step_of(request.GET.get("step", "place"))
        if step == "template":
            return HttpResponseRedirect(reverse("admin:cms_sites_site_template"))
        if request.method == "POST":
            return self._answer(request, state, step)
        return self._show(request, state, step, FORMS[step](initial=FORMS[step].initial_of(state.answers)))

    def folder(self, request: HttpRequest) -> JsonResponse:
        sent = request.GET
        form = PlaceForm({"site_name": "-", **{name: sent.get(name, "") for name in ("site_dir", "parent", "is_root")}})
        form.is_valid()
        return JsonResponse({"problem": " ".join(map(str, form.errors.get("site_dir", [])))})

    def _answer(self, request: HttpRequest, state: WizardState, step: str) -> HttpResponse:
        # Each wizard starts one job: a second click redirects to it.
        token = request.POST.get("token", "")
        if job := Job.objects.filter(token=token, kind=NEW_SITE.name, administrator_id=request.user.pk).first():
            return _to_job(job)
        if request.GET.get("step", "place") != step:
            return _to_step(step)
        form = FORMS[step](request.POST, initial=FORMS[step].initial_of(state.answers))
        if not form.is_valid():
            return self._show(request, state, step, form)
        if step == "summary":
            return self._ask(request, state)
        state.keep(**form.answers())
        return _to_step(state.after(step))

    def _ask(self, request: HttpRequest, state: WizardState) -> HttpResponse:
        answers = {name: value for name, value in state.answers.items() if name != "token"}
        if place_problems(answers["site_dir"], answers["is_root"], answers["parent_id"]):
            return _to_step("place", check="1")
        folders.touch_upload(answers["package"])
        try:
            job = enqueueing.enqueue(NEW_SITE.name, answers | {"home_name": gettext("Home")}, token=state.token)
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
            return _to_step("summary")
        state.forget()
        return _to_job(job)

    def _take_template(self, request: HttpRequest, state: WizardState) -> HttpResponse:
        """Start with a surveyed package; its name and folder are defaults unless already answered."""
        number = read_number(request.GET["survey"])
        job = Job.objects.filter(pk=number, kind=SURVEY.name, state=Job.State.DONE).first() if number else None
        if job is None or folders.find_upload(job.parameters["package"]) is None:
            return HttpResponseRedirect(reverse("admin:cms_sites_site_template"))
        if state.answers["begin"] != "template" or not state.answers["site_name"]:
            state.forget()
            has_root = Site.objects.filter(is_root=True).exists()
            state.keep(
                site_name=job.report["site_name"],
                site_dir=job.report["site_dir"],
                is_root=job.report["is_root"] and not has_root,
            )
        named = {"package": job.parameters["package"], "file_name": job.parameters["file_name"]}
        state.keep(begin="template", survey=job.pk, with_entries=False, **named)
        return _to_step("place", check="1")

    def _show(self, request: HttpRequest, state: WizardState, step: str, form: StepForm) -> HttpResponse:
        if step == "place" and request.GET.get("check") and not form.is_bound:
            shown = PlaceForm.initial_of(state.answers)
            form = PlaceForm(shown, initial=shown)  # bound, so that it shows its errors
        steps = state.steps()
        context = self._pages.admin_site.each_context(request) | {
            "opts": self._pages.opts,
            "title": _("New site"),
            "subtitle": None,
            "form": form,
            "step": step,
            "steps": [
                {"name": each, "title": TITLES[each], "is_past": steps.index(each) < steps.index(step)}
                for each in steps
            ],
            "number": steps.index(step) + 1,
            "step_title": TITLES[step],
            "before": state.before(step),
            "token": state.token,
            **(_summary(state) if step == "summary" else {}),
        }
        return TemplateResponse(request, f"transfer/wizard/{step}.html", context)


def _summary(state: WizardState) -> dict[str, Any]:
    answers = state.answers
    begin, tree = answers["begin"], read_outline(answers["outline"])
    parent = Site.objects.filter(pk=answers["parent_id"]).first()
    site = Site(site_name=answers["site_name"], site_dir=answers["site_dir"], is_root=answers["is_root"], parent=parent)
    return {
        "answers": answers,
        "address": site.compute_web_url() or "/",
        "tree": tree if begin in {"outline", *STARTERS} else [],
        "tree_text": _drawn(tree),
        "copied": Site.objects.filter(pk=answers["copy_from"]).first() if begin == "copy" else None,
        "survey": Job.objects.filter(pk=answers["survey"]).first() if begin == "template" else None,
        "people": [person.get_full_name() for person in candidates().filter(pk__in=answers["people"])],
    }


def _drawn(tree: list[OutlineChannel]) -> str:
    return "\n".join("    " * (len(channel.position) - 1) + channel.name for channel in tree)


def _to_step(step: str, **query: str) -> HttpResponse:
    more = "".join(f"&{name}={value}" for name, value in query.items())
    return HttpResponseRedirect(f"{reverse('admin:cms_sites_site_add')}?step={step}{more}")


def _to_job(job: Job) -> HttpResponse:
    return HttpResponseRedirect(job.get_absolute_url())
