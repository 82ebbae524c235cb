"use strict";
// A file opens beside the list; a click on its picture chooses the point that stays in sight where it is cut, and a square
// shows the cut. A form that crops a picture loads its script. What is on the page, or comes into it later, is found by its
// id or attribute.
{
  const find = (id) => document.getElementById(id);
  const fields = () => [find("id_focal_left"), find("id_focal_top")];

  const show = () => {
    const [left, top] = fields();
    const cut = find("media-cut");
    if (cut && left && top) {
      cut.hidden = left.value === "" || top.value === "";
      cut.style.objectPosition = `${left.value}% ${top.value}%`;
      find("media-picture").style.cursor = "crosshair";
    }
  };

  document.addEventListener(
    "click",
    ({ target }) => {
      const link = target.closest?.("#result_list tbody th a");
      if (link) {
        link.dataset.dialog = "#mediafile_form"; // read by core/admin/editor/src/frame/acts.js
      }
    },
    true,
  );
  document.addEventListener("click", ({ target, offsetX, offsetY }) => {
    const [left, top] = fields();
    if (target.id === "media-picture" && left && top) {
      left.value = Math.round((offsetX / target.clientWidth) * 100);
      top.value = Math.round((offsetY / target.clientHeight) * 100);
      left.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  document.addEventListener("input", ({ target }) => {
    if (fields().includes(target)) {
      show();
    }
  });
  document.addEventListener("load", ({ target }) => target.id === "media-picture" && show(), true);
  show();

  window.desk?.whenever("form[data-crop]", ({ dataset }) => {
    if (!document.querySelector(`script[src="${dataset.script}"]`)) {
      const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: dataset.style });
      style.addEventListener("load", () => document.head.append(Object.assign(document.createElement("script"), { src: dataset.script })));
      document.head.append(style);
    }
  });
}
