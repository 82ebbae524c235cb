// Sends pictures of a folder: `node uploads.mjs client|tus|broken FOLDER NAME…`, with the built client or by tus-js-client.

import { readFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { Upload } from "tus-js-client";
import { Client } from "../dist/index.js";

const { CMS_ADDRESS: address, CMS_KEY: apiKey, CMS_SITE: site } = process.env;
const [way, folder, ...names] = process.argv.slice(2);
const AT_ONCE = 2;

async function withClient(name) {
  const bytes = await readFile(join(folder, name));
  await new Client(address, { apiKey }).media.upload(Number(site), bytes, {}, { name });
}

/** Resolves to the places at which it has continued. */
async function withTus(name, base = address) {
  const bytes = await readFile(join(folder, name));
  const continued = [];
  await new Promise((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: `${base}/api/v1/media/${site}/uploads`,
      headers: { "X-SS-API-KEY": apiKey },
      metadata: { filename: name, filetype: "image/png" },
      retryDelays: [0, 1000],
      onAfterResponse: (request, response) => {
        if (request.getMethod() === "HEAD") {
          continued.push(Number(response.getHeader("Upload-Offset")));
        }
      },
      onSuccess: resolve,
      onError: reject,
    });
    upload.start();
  });
  return continued;
}

/** As `withTus`, on a way that breaks off after 500,000 bytes, and is whole after the server has noticed. */
async function overBrokenWay(name) {
  let isBroken = false;
  const way = createServer((socket) => {
    const server = connect(Number(new URL(address).port), "127.0.0.1");
    let received = 0;
    socket.on("data", (piece) => {
      received += piece.length;
      if (isBroken || received < 500_000) {
        server.write(piece);
      } else {
        isBroken = true;
        socket.removeAllListeners("data");
        socket.pause();
        server.removeAllListeners("data");
        server.resume();
        server.end(piece);
        server.on("close", () => socket.destroy());
      }
    });
    server.on("data", (piece) => socket.write(piece));
    socket.on("close", () => server.destroy());
    server.on("close", () => socket.destroy());
    socket.on("error", () => server.destroy());
    server.on("error", () => socket.destroy());
  });
  await new Promise((resolve) => way.listen(0, "127.0.0.1", resolve));
  try {
    return await withTus(name, `http://127.0.0.1:${way.address().port}`);
  } finally {
    way.close();
  }
}

const send = { client: withClient, tus: withTus, broken: overBrokenWay }[way];
const left = names.values();
const continued = [];
const sendSome = async () => {
  for (const name of left) {
    continued.push(await send(name));
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
console.log(JSON.stringify(continued.flat().filter((place) => place !== undefined)));
process.exit(); // idle connections would keep it alive
