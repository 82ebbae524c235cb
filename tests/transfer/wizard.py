"""Goes through the wizard as a browser does."""

import re

from django.test import Client

from core.jobs import running
from core.jobs.models import Job

ADD = "/admin/cms_sites/site/add/"
TEMPLATE = "/admin/cms_sites/site/template/"


def browser_of(person):
    """A browser in which the person has signed in."""
    browser = Client()
    browser.force_login(person)
    return browser


def token_of(answer):
    return re.search(r'name="token" value="(\w*)"', answer.content.decode())[1]


def answer(browser, step, **sent):
    """The answer to a step's form."""
    token = token_of(browser.get(ADD, {"step": step}))
    return browser.post(f"{ADD}?step={step}", {"token": token} | sent)


def ask(browser, begin, *, people=(), **place):
    """Ask for a site that begins so; the answer to the last step."""
    browser.get(ADD)
    assert answer(browser, "place", **({"site_name": "Harbour", "site_dir": "harbour"} | place))["Location"]
    between = {"copy_from": begin["copy_from"]} if "copy_from" in begin else {}
    answer(browser, "begin", begin=begin["begin"])
    if "outline" in begin:
        answer(browser, "channels", outline=begin["outline"])
    if between:
        answer(browser, "copy", **between)
    answer(browser, "people", people=list(people))
    return answer(browser, "summary")


def job_of(response):
    """The job that a page leads to."""
    return Job.objects.get(pk=re.search(r"/jobs/job/(\d+)/", response["Location"])[1])


def do(response):
    """Do the job that a page leads to, here and now, and return it."""
    job = job_of(response)
    assert running.run(job.pk)
    job.refresh_from_db()
    return job
