// Makes every editor and every field for files on the page, and looks after their form.

import { Drafts } from "./form/drafts.js";
import { Notices } from "./form/notices.js";
import { addPreview } from "./form/preview.js";
import { watchVersion } from "./form/watch.js";
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
  const notices = new Notices(form);
  const { draft, version, versionUrl, preview, differences } = box.dataset;
  if (draft) {
    new Drafts({ form, rich, words, notices, key: draft, version });
  }
  if (versionUrl) {
    watchVersion({ address: versionUrl, version, words, notices, differences });
  }
  if (preview) {
    addPreview({ form, rich, words, address: preview });
  }
}
