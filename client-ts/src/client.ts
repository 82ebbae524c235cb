import { Administrators, Users } from "./accounts.js";
import { Captchas } from "./captcha.js";
import { ChangeFeed, type ChangeQuery } from "./changes.js";
import { Channels } from "./channels.js";
import { Contents } from "./contents.js";
import { MediaFiles } from "./media.js";
import type { Health } from "./records.js";
import { Sql, Stl } from "./stl.js";
import type { CallOptions, ClientOptions, CreateOptions } from "./transport.js";
import { Transport, valueIn } from "./transport.js";
import { Forms } from "./visitor_forms.js";

/** Client of one server. */
export class Client {
  readonly contents: Contents;
  readonly channels: Channels;
  readonly media: MediaFiles;
  readonly forms: Forms;
  readonly stl: Stl;
  readonly sql: Sql;
  readonly users: Users;
  readonly administrators: Administrators;
  readonly captcha: Captchas;
  /** All operations of the OpenAPI document by path, as in openapi-fetch, with the same retries and errors. */
  readonly api: Transport["api"];
  readonly #transport: Transport;

  /** `baseUrl` is `https://host`, `https://host/api` or `https://host/api/v1`. Throws TypeError for unusable values. */
  constructor(baseUrl: string | URL, options: ClientOptions = {}) {
    const transport = new Transport(baseUrl, options);
    this.#transport = transport;
    this.api = transport.api;
    this.contents = new Contents(transport);
    this.channels = new Channels(transport);
    this.media = new MediaFiles(transport);
    this.forms = new Forms(transport);
    this.stl = new Stl(transport);
    this.sql = new Sql(transport);
    this.users = new Users(transport);
    this.administrators = new Administrators(transport);
    this.captcha = new Captchas(transport);
  }

  /** Follow the changes of contents, channels, sites, users, files and entries, by default from now on. */
  changes(query: ChangeQuery = {}): ChangeFeed {
    return new ChangeFeed(this.#transport, query);
  }

  /** Return whether the service responds to a ping. Needs no API key. */
  async ping(options: CallOptions = {}): Promise<boolean> {
    const { data } = await this.api.GET("/api/v1/ping", { parseAs: "text", ...this.#transport.with(options) });
    return String(data).trim() === "pong";
  }

  /** Return the server's readiness. Rejects with Unavailable, without a retry, if the server is not ready. */
  health(options: CallOptions = {}): Promise<Health> {
    return valueIn(this.api.GET("/api/v1/health/ready", this.#transport.with(options)));
  }

  /** Request a restart; return whether the service will restart shortly. */
  restart(options: CreateOptions = {}): Promise<boolean> {
    return valueIn(this.api.POST("/api/v1/actions/restart", this.#transport.with(options)));
  }
}
