"""Files as people upload them, and what the pages of tables do with them."""

import csv
import io
import re

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from openpyxl import Workbook, load_workbook

from core.jobs.models import Job


def csv_text(*rows, separator=","):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator).writerows(rows)
    return buffer.getvalue()


def csv_file(*rows, encoding="utf-8", separator=",", name="table.csv"):
    return SimpleUploadedFile(name, csv_text(*rows, separator=separator).encode(encoding), "text/csv")


def xlsx_file(*rows, name="table.xlsx"):
    workbook, buffer = Workbook(), io.BytesIO()
    for row in rows:
        workbook.active.append(row)
    workbook.save(buffer)
    return SimpleUploadedFile(name, buffer.getvalue())


def sent_csv(answer, separator=","):
    """The rows of an answer that is a CSV file."""
    text = b"".join(answer.streaming_content).decode("utf-8")
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:], newline=""), delimiter=separator))


def sent_xlsx(answer):
    """The rows of an answer that is a workbook."""
    sheet = load_workbook(io.BytesIO(b"".join(answer.streaming_content)), read_only=True).worksheets[0]
    return [[cell or "" for cell in row] for row in sheet.iter_rows(values_only=True)]


def address(page, *arguments, **query):
    place = reverse(f"admin:{page}", args=arguments)
    return place + ("?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else "")


def export(browser, page, columns, query="", **chosen):
    """The answer of the export of the list."""
    sent = {"form": "csv", "separator": "comma", "headings": "names", "columns": columns} | chosen
    return browser.post(address(f"{page}_export") + query, sent)


def upload(browser, page, file, query="", **chosen):
    """The answer to the upload, and the address of the preview if there is one."""
    answer = browser.post(address(f"{page}_import") + query, {"file": file} | chosen)
    return answer, answer.get("Location", "")


def preview_of(answer):
    """What the preview shows: how many rows of each kind."""
    return answer.context["preview"].counts


def problems_of(answer):
    """What is wrong, by the number of the row."""
    return {row.number: row.problems for row in answer.context["preview"].rows if row.problems}


def job_of(answer):
    """The job to whose page the answer leads."""
    return Job.objects.get(pk=re.search(r"/jobs/job/(\d+)/", answer["Location"])[1])


def stored(answer):
    """How many rows of each kind an import has stored, as its page tells."""
    return job_of(answer).report["counts"]
