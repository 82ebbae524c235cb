"""Somebody who has signed in, with a window of their own."""

from urllib.parse import urlencode

from tools.browser import LANGUAGES

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
_SECONDS = 60  # until a missing element counts as an error
CONTENTS = "/admin/contents/content/"


class Visitor:
    """A window in one language, which records complaints of the browser."""

    def __init__(self, browser, address, language):
        self.language, self.complaints, self.saving = language, [], "Control+s"
        self._context = browser.new_context(
            base_url=address, locale=LANGUAGES[language], viewport=DESKTOP, reduced_motion="reduce"
        )
        self._context.set_default_timeout(_SECONDS * 1000)
        self.page = self._context.new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)

    def _hear(self, message):
        if message.type == "error":
            self.complaints.append(message.text)

    def close(self):
        self._context.close()

    def say(self, english, chinese):
        """Typed text, in the language of the window."""
        return english if self.language == "en" else chinese

    def open(self, place, **query):
        """Go there and wait until all of it has come."""
        self.page.goto(f"{place}?{urlencode(query)}" if query else place, wait_until="networkidle")

    def send(self, selector):
        """Press a link or button, and wait for the next page."""
        with self.page.expect_navigation(wait_until="networkidle"):
            self.page.locator(selector).first.click()

    def open_dialog(self, selector):
        """Press a button or link that opens a dialog."""
        self.page.locator(selector).first.click()
        self.page.locator("dialog[open]").wait_for()

    def sign_in(self, name, password):
        self.open("/admin/")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", password)
        self.page.press("#id_password", "Enter")
        self.page.wait_for_url("**/admin/")

    # Actions of people on contents.

    def form(self, number):
        """The form of a content, with its editor."""
        self.open(f"{CONTENTS}{number}/change/")
        self.page.wait_for_selector(".editor-toolbar")

    def store(self):
        """Save the form of a content, by default as a draft if it is public."""
        self.page.keyboard.press(self.saving)
        self.page.wait_for_selector(".messagelist .success")

    def change(self, number, **fields):
        self.form(number)
        for name, value in fields.items():
            self.page.fill(f"#id_{name}", value)
        self.store()

    def type_at_end(self, text):
        """Write behind the first paragraph of the body."""
        self.page.locator(".editor-text p").first.click()
        self.page.keyboard.press("End")
        self.page.keyboard.type(f" {text}")

    def retype(self, number, first, last):
        """Another first word, and one more paragraph."""
        self.form(number)
        self.page.locator(".editor-text p").first.dblclick(position={"x": 12, "y": 10})
        self.page.keyboard.type(first)
        self.page.keyboard.press("Control+End")
        self.page.keyboard.press("Enter")
        self.page.keyboard.type(last)
        self.store()

    def write(self, channel, title, state):
        self.open(f"{CONTENTS}add/", channel=channel)
        self.page.wait_for_selector(".editor-toolbar")
        self.page.fill("#id_title", title)
        self.page.locator(".editor-text").click()
        self.page.keyboard.type(f"{title}.")
        self.store()
        if state == "waiting":
            self.send('button[name="_hand_in"]')

    def ask(self, numbers, action):
        """The confirmation page of an action."""
        self.open(f"{CONTENTS}actions/{action}/", ids=",".join(map(str, numbers)))

    def action(self, numbers, action, **fields):
        self.ask(numbers, action)
        for name, value in fields.items():
            self.page.fill(f"[name={name}]", value)
        self.send("form.action input[type=submit].default")
        self.page.wait_for_selector(".messagelist")

    def reject(self, title, reasons):
        self.open(f"{CONTENTS}waiting/")
        self.page.get_by_label(self.say(f"Choose {title}", f"选择 {title}"), exact=True).check()
        self.send(".action-reject")
        self.page.fill("[name=reasons]", reasons)
        self.send("form.action input[type=submit].default")
