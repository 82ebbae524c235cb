import type { operations } from "./openapi.js";
import type { Row, Rows } from "./records.js";
import { type Call, type ReadOptions, read, type Transport, tagged, valueIn } from "./transport.js";

type Attributes<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>;
type Value<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { "application/json": { value: infer V } } } };
}
  ? V
  : never;
/** Elements that have a single value, and the operation of each. */
interface TextElements {
  site: "getStlSite";
  channel: "getStlChannel";
  content: "getStlContent";
  value: "getStlValue";
  sqlContent: "getSqlRow";
}

/** Operations of `client.stl`: values for pages, with the attributes of template tags under their own names. */
export class Stl {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Return a site; null if no site has the `siteName`. */
  site(attributes: Attributes<"getStlSite"> = {}, options: ReadOptions = {}): Promise<Value<"getStlSite">> {
    return this.#get<"getStlSite">("site", attributes, options);
  }

  /** Return the sites that the API key can access. */
  sites(attributes: Attributes<"listStlSites"> = {}, options: ReadOptions = {}): Promise<Value<"listStlSites">> {
    return this.#get<"listStlSites">("sites", attributes, options);
  }

  /** Return a channel; null if no channel matches. */
  channel(attributes: Attributes<"getStlChannel"> = {}, options: ReadOptions = {}): Promise<Value<"getStlChannel">> {
    return this.#get<"getStlChannel">("channel", attributes, options);
  }

  /** Return channels related to a channel, such as its children. */
  channels(
    attributes: Attributes<"listStlChannels"> = {},
    options: ReadOptions = {},
  ): Promise<Value<"listStlChannels">> {
    return this.#get<"listStlChannels">("channels", attributes, options);
  }

  /** Return a content; null if no content matches. */
  content(attributes: Attributes<"getStlContent"> = {}, options: ReadOptions = {}): Promise<Value<"getStlContent">> {
    return this.#get<"getStlContent">("content", attributes, options);
  }

  /** Return approved contents of a channel and, depending on `scope`, of related channels. */
  contents(
    attributes: Attributes<"listStlContents"> = {},
    options: ReadOptions = {},
  ): Promise<Value<"listStlContents">> {
    return this.#get<"listStlContents">("contents", attributes, options);
  }

  /** Return the value that `type` names, from a site, channel, content or row, as a string. */
  async text<Element extends keyof TextElements>(
    element: Element,
    attributes: Attributes<TextElements[Element]>,
    options: ReadOptions = {},
  ): Promise<string> {
    const value: unknown = await this.#get<TextElements[Element]>(element, attributes, options);
    return value === null ? "" : String(value);
  }

  /** Return the URL of a channel or content. */
  async address(attributes: Attributes<"getStlAddress"> = {}, options: ReadOptions = {}): Promise<string> {
    return (await this.#get<"getStlAddress">("a", attributes, options)) ?? "";
  }

  /** Return the number of approved contents, or of channels with `type: "Channels"`. */
  async count(attributes: Attributes<"getStlCount"> = {}, options: ReadOptions = {}): Promise<number> {
    return Number(await this.#get<"getStlCount">("count", attributes, options));
  }

  #get<Name extends keyof operations>(element: string, query: object, options: ReadOptions): Promise<Value<Name>> {
    // The compiler cannot follow a union of all elements through the types of openapi-fetch.
    const path = `/api/v1/stl/${element}` as "/api/v1/stl/site";
    const call: unknown = this.#transport.api.GET(path, { params: { query }, ...this.#transport.with(options) });
    return valueIn(call as Call<{ value: Value<Name> }>);
  }
}

/** Operations of `client.sql`: run a SELECT on the tables of SiteServer CMS. */
export class Sql {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Return the rows. */
  async rows(
    statement: string,
    attributes: Omit<Attributes<"listSqlRows">, "queryString"> = {},
    options: ReadOptions = {},
  ): Promise<Rows> {
    const params = { query: { ...attributes, queryString: statement } };
    const call = this.#transport.api.GET("/api/v1/stl/sqlContents", { params, ...this.#transport.with(options) });
    const { body, response } = await read(call);
    return tagged(Object.assign(body.value, { isTruncated: response.headers.has("X-SQL-Truncated") }), response);
  }

  /** Return the first row; null if there are no rows. */
  async row(
    statement: string,
    attributes: Omit<Attributes<"getSqlRow">, "queryString"> = {},
    options: ReadOptions = {},
  ): Promise<Row | null> {
    const params = { query: { ...attributes, queryString: statement } };
    const call = this.#transport.api.GET("/api/v1/stl/sqlContent", { params, ...this.#transport.with(options) });
    return (await valueIn(call as Call<{ value: Row | null }>)) ?? null;
  }
}
