// The part of a picture: a frame on the picture and four numbers show the same.

import Cropper from "cropperjs";
import "./crop.css";

const OPTIONS = {
  viewMode: 1, // within the picture
  autoCropArea: 1,
  dragMode: "none",
  background: false,
  zoomable: false,
  toggleDragModeOnDblclick: false,
  checkCrossOrigin: false, // it would read the bytes of the picture, which the browser turns itself
  checkOrientation: false,
};

const within = (value, least, most) => Math.min(Math.max(value, least), most);

window.desk.whenever("form[data-crop]", begin);

function begin(form) {
  const fields = ["x", "y", "width", "height"].map((name) => form.elements[name]);
  const ratios = form.querySelector("[data-ratios]");
  const asked = Object.fromEntries(fields.filter(({ value }) => value !== "").map(({ name, valueAsNumber }) => [name, valueAsNumber]));
  const cropper = new Cropper(form.querySelector("img"), {
    ...OPTIONS,
    ready() {
      cropper.setData(asked);
      ratios.hidden = false;
      form.dataset.crop = "ready";
    },
    crop() {
      const part = cropper.getData(true);
      for (const field of fields) {
        field.value = part[field.name];
      }
    },
  });
  // Of what is typed, the part within the picture: a place further to the right leaves less width.
  const take = () => {
    const { naturalWidth, naturalHeight } = cropper.getImageData();
    const typed = fields.map(({ valueAsNumber }) => valueAsNumber);
    if (typed.every(Number.isFinite)) {
      const [x, y] = [within(typed[0], 0, naturalWidth - 1), within(typed[1], 0, naturalHeight - 1)];
      cropper.setData({ x, y, width: within(typed[2], 1, naturalWidth - x), height: within(typed[3], 1, naturalHeight - y) });
    }
  };
  for (const field of fields) {
    field.addEventListener("change", take);
  }
  ratios.addEventListener("click", ({ target }) => {
    const { ratio } = target.dataset;
    if (ratio) {
      const { naturalWidth, naturalHeight } = cropper.getImageData();
      const [width, height] = ratio === "original" ? [naturalWidth, naturalHeight] : ratio.split(":");
      cropper.setAspectRatio(width / height); // NaN is free
      for (const each of ratios.querySelectorAll("[data-ratio]")) {
        each.ariaPressed = each === target;
      }
    }
  });
}
