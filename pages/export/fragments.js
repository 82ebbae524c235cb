// Replaces the parts of a page that depend on the query of its address by what the service makes of it.
(() => {
  const { fragments, page } = document.currentScript.dataset;
  const query = location.search;
  if (query.length < 2) return;

  for (const [name, value] of new URLSearchParams(query)) {
    for (const field of document.querySelectorAll(`input[name="${CSS.escape(name)}"]`)) {
      if (["", "text", "search"].includes(field.getAttribute("type") ?? "") && !field.value) field.value = value;
    }
  }

  async function fill(begin, end, position) {
    const response = await fetch(`${fragments}${position}/${page}${query}`, { credentials: "omit" });
    if (!response.ok) return; // the page stays as it is without a query
    const made = document.createElement("template"); // scripts in it do not run
    made.innerHTML = await response.text();
    const range = document.createRange(); // in a table, the comments may have different parents
    range.setStartAfter(begin);
    range.setEndBefore(end);
    range.deleteContents();
    begin.after(made.content);
  }

  const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT);
  let begin = null;
  let position = null;
  while (comments.nextNode()) {
    const comment = comments.currentNode;
    const found = /^cms-fragment (\d+)$/.exec(comment.data);
    if (found) {
      begin = comment;
      position = found[1];
    } else if (begin && comment.data === "/cms-fragment") {
      fill(begin, comment, position).catch(console.error);
      begin = null;
    }
  }
})();
