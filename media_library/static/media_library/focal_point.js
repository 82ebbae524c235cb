"use strict";
// A click on the picture chooses the point that stays in sight where it is cut; a square shows the cut.
{
  const picture = document.getElementById("media-picture");
  const cut = document.getElementById("media-cut");
  const left = document.getElementById("id_focal_left");
  const top = document.getElementById("id_focal_top");

  const show = () => {
    cut.hidden = left.value === "" || top.value === "";
    cut.style.objectPosition = `${left.value}% ${top.value}%`;
  };

  if (picture && left && top) {
    picture.style.cursor = "crosshair";
    picture.addEventListener("click", ({ offsetX, offsetY }) => {
      left.value = Math.round((offsetX / picture.clientWidth) * 100);
      top.value = Math.round((offsetY / picture.clientHeight) * 100);
      left.dispatchEvent(new Event("input", { bubbles: true }));
    });
    for (const field of [left, top]) {
      field.addEventListener("input", show);
    }
    show();
  }
}
