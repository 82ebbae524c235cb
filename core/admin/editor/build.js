// Makes the editors' scripts and style sheet, and the licences of what is in them: `make editor`.

import { build } from "esbuild";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "static", "cms_admin", "editor");

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { editor: "src/index.js", frame: "src/frame/index.js", media: "src/uploads/library.js", crop: "src/crop/index.js", palette: "src/palette/index.js", "template-editor": "src/template/index.js" },
  outdir: target,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
});
await build({
  absWorkingDir: join(here, "..", "styles"),
  entryPoints: ["admin.css"],
  outdir: join(target, ".."),
  bundle: true,
  minify: true,
  charset: "utf8",
  external: ["*.svg"], // of Django's admin, served beside ours
});
writeFileSync(join(target, "LICENSES.txt"), licences(Object.keys(metafile.inputs)));

function licences(inputs) {
  const names = new Set(inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean));
  return `The editors' scripts contain these packages.\n\n${[...names].sort().map(licence).join("\n")}`;
}

function licence(name) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : "";
  return `${name} ${version} (${license})\n\n${text}\n`;
}
