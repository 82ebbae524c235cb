// Makes every editor and every field for files on the page, and looks after their form.

import { watchVersion } from "./form/watch.js";
import { Notices } from "./frame/notices.js";
import { RichText } from "./rich_text.js";
import { makeUploadField } from "./uploads/field.js";
import { Words } from "./words.js";

for (const box of document.querySelectorAll("[data-upload-field]")) {
  makeUploadField(box);
}
for (const box of document.querySelectorAll("[data-editor]")) {
  const words = new Words(JSON.parse(box.dataset.words));
  const rich = new RichText(box, words);
  const { form } = rich.area;
  const { version, versionUrl, differences } = box.dataset;
  if (versionUrl) {
    watchVersion({ address: versionUrl, version, words, notices: new Notices(form), differences });
  }
}
