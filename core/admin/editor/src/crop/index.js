// The part of a picture: a frame on the picture and four numbers show the same.

import Cropper from "cropperjs";
import "./crop.css";

const OPTIONS = {
  viewMode: 1, // within the picture
  autoCropArea: 1,
  restore: false, // in a window of another size, the frame shows the numbers
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
  let isDragged = false;

  const write = () => {
    const part = cropper.getData(true);
    for (const field of fields) {
      field.value = part[field.name];
    }
  };
  // Of what is typed, the part within the picture: a place further to the right leaves less width.
  const show = () => {
    const { naturalWidth, naturalHeight } = cropper.getImageData();
    const typed = fields.map(({ valueAsNumber }) => valueAsNumber);
    const isWhole = typed.every(Number.isFinite);
    if (isWhole) {
      const [x, y] = [within(typed[0], 0, naturalWidth - 1), within(typed[1], 0, naturalHeight - 1)];
      cropper.setData({ x, y, width: within(typed[2], 1, naturalWidth - x), height: within(typed[3], 1, naturalHeight - y) });
    }
    return isWhole;
  };
  const cropper = new Cropper(form.querySelector("img"), {
    ...OPTIONS,
    ready() {
      if (!show()) {
        write(); // the size of the picture was not known
      }
      ratios.hidden = false;
      form.dataset.crop = "ready";
      window.addEventListener("resize", () => form.isConnected && show()); // after Cropper's own
    },
    cropstart() {
      isDragged = true;
    },
    crop() {
      if (isDragged) {
        write(); // else the frame follows the numbers, which it would round
      }
    },
    cropend() {
      isDragged = false;
    },
  });

  for (const field of fields) {
    field.addEventListener("change", () => show() && write());
  }
  ratios.addEventListener("click", ({ target }) => {
    const { ratio } = target.dataset;
    if (ratio) {
      const { naturalWidth, naturalHeight } = cropper.getImageData();
      const [width, height] = ratio === "original" ? [naturalWidth, naturalHeight] : ratio.split(":");
      cropper.setAspectRatio(width / height); // NaN is free
      write();
      for (const each of ratios.querySelectorAll("[data-ratio]")) {
        each.ariaPressed = each === target;
      }
    }
  });
}
