import { type CallOptions, type Transport, valueIn } from "./transport.js";

/** A captcha picture. `cookie` links the answer to the picture; in browsers it is empty, since they keep it. */
export interface Picture {
  name: string;
  png: Blob;
  cookie: string;
}

/** Operations of `client.captcha`. They need no API key, and in browsers a page of the server's own origin. */
export class Captchas {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Request a new captcha picture. */
  async draw(name: string, options: CallOptions = {}): Promise<Picture> {
    const call = { params: { path: { name } }, parseAs: "blob" as const, ...this.#transport.with(options) };
    const { data, response } = await this.#transport.api.GET("/api/v1/captcha/{name}", call);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0] ?? "");
    const cookie = cookies.find((each) => each.startsWith(`SS-${encodeURIComponent(name)}=`));
    return { name, png: data as Blob, cookie: cookie ?? "" };
  }

  /** Return true if the answer is correct; a wrong one rejects with BadRequest. Each picture allows one attempt. */
  check(picture: Picture, answer: string, options: CallOptions = {}): Promise<boolean> {
    const given = this.#transport.with(options);
    const headers = { ...given.headers, ...(picture.cookie && { Cookie: picture.cookie }) };
    const call = { params: { path: { name: picture.name } }, body: { captcha: answer }, ...given, headers };
    return valueIn(this.#transport.api.POST("/api/v1/captcha/{name}/actions/check", call));
  }
}
