import { type AnswerError, itemError } from "./errors.js";
import { contentPages, Listing } from "./listing.js";
import type { components } from "./openapi.js";
import type {
  Chosen,
  Content,
  ContentChanges,
  ContentList,
  FoundPage,
  NewContent,
  Page,
  SearchOptions,
  Suggestion,
} from "./records.js";
import type { Call, CallOptions, ChangeOptions, CreateOptions, ReadOptions, Transport } from "./transport.js";
import { read, tagged, valueIn } from "./transport.js";

type Fields = readonly string[] | undefined;

export interface FieldOptions<F extends Fields = Fields> {
  /** Names of the members to return for each content; all others are omitted. */
  fields?: F;
}

export interface BatchOptions extends CallOptions, FieldOptions {
  /** All contents or none, and the call rejects with the first error. Default: true.
   *
   * With false, each content by itself, and the result has an error in place of each one that the server refuses.
   */
  atomic?: boolean | undefined;
}

type BatchContent<Options> = Options extends { fields: infer F } ? Chosen<F> : Content;
type BatchResult<Options> = Options extends { atomic: false }
  ? BatchContent<Options> | AnswerError
  : BatchContent<Options>;
type NewBatchOptions = BatchOptions & CreateOptions;

/** Operations of `client.contents`. */
export class Contents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the contents of a site, or of a channel and its descendants: `await` one page, or `for await` all. */
  list<const F extends Fields = undefined>(
    request: Omit<ContentList, "fields"> & FieldOptions<F>,
    options: ReadOptions = {},
  ): Listing<Chosen<F>> {
    const ask = async (body: ContentList, given: ReadOptions): Promise<Page<Chosen<F>>> => {
      const answer = await read(this.#transport.api.POST("/api/v1/contents", { body, ...this.#transport.with(given) }));
      const { contents, totalCount, nextCursor } = answer.body;
      const records = contents as Chosen<F>[];
      return tagged({ records, total: totalCount, nextCursor: nextCursor ?? null }, answer.response);
    };
    const { ifNoneMatch: _, ...others } = options;
    const asked = request as ContentList;
    return new Listing(
      () => ask(asked, options),
      () => contentPages(asked, (body) => ask(body, others)),
    );
  }

  /** Return a content. */
  async get<const F extends Fields = undefined>(
    siteId: number,
    channelId: number,
    id: number,
    options: ReadOptions & FieldOptions<F> = {},
  ): Promise<Chosen<F>> {
    const params = { path: { siteId, channelId, id }, query: { fields: options.fields?.join(",") } };
    const path = "/api/v1/contents/{siteId}/{channelId}/{id}";
    const call = this.#transport.api.GET(path, { params, ...this.#transport.with(options) });
    return (await valueIn(call)) as Chosen<F>;
  }

  /** Find contents of a site by the words of their texts, best first, and return a page. */
  async search(siteId: number, q: string, asked: SearchOptions = {}, options: ReadOptions = {}): Promise<FoundPage> {
    const params = { query: { ...asked, siteId, q } };
    const { body, response } = await read(
      this.#transport.api.GET("/api/v1/search", { params, ...this.#transport.with(options) }),
    );
    const { value: records, count: total, isCountExact: isTotalExact } = body;
    const { nextCursor = null, facets = null, didYouMean = null } = body;
    return tagged({ records, total, isTotalExact, nextCursor, facets, didYouMean }, response);
  }

  /** Return approved contents with the words in their titles, to show while a visitor types. */
  suggest(siteId: number, q: string, options: ReadOptions = {}): Promise<Suggestion[]> {
    const params = { query: { siteId, q } };
    return valueIn(
      this.#transport.api.GET("/api/v1/search/suggestions", { params, ...this.#transport.with(options) }),
    );
  }

  /** Create a content and return it. Unknown members become custom fields. */
  create(siteId: number, channelId: number, members: NewContent, options: CreateOptions = {}): Promise<Content> {
    const params = { path: { siteId, channelId } };
    const path = "/api/v1/contents/{siteId}/{channelId}";
    return valueIn(this.#transport.api.POST(path, { params, body: members, ...this.#transport.with(options) }));
  }

  /** Update these members and return the content. */
  update(
    siteId: number,
    channelId: number,
    id: number,
    members: ContentChanges,
    options: ChangeOptions = {},
  ): Promise<Content> {
    const params = { path: { siteId, channelId, id } };
    const path = "/api/v1/contents/{siteId}/{channelId}/{id}";
    return valueIn(this.#transport.api.PUT(path, { params, body: members, ...this.#transport.with(options) }));
  }

  /** Delete a content and return its last state. */
  delete(siteId: number, channelId: number, id: number, options: ChangeOptions = {}): Promise<Content> {
    const params = { path: { siteId, channelId, id } };
    const path = "/api/v1/contents/{siteId}/{channelId}/{id}";
    return valueIn(this.#transport.api.DELETE(path, { params, ...this.#transport.with(options) }));
  }

  /** Approve the contents, and return them without unknown ones. */
  async check(
    siteId: number,
    contents: { channelId: number; id: number }[],
    options: CreateOptions & { reasons?: string } = {},
  ): Promise<Content[]> {
    const body = { siteId, contents, reasons: options.reasons ?? "" };
    const call = this.#transport.api.POST("/api/v1/contents/check", { body, ...this.#transport.with(options) });
    return (await read(call)).body.contents;
  }

  /** Create up to 500 contents, the last one on top, and return them. */
  createMany<const O extends NewBatchOptions>(
    siteId: number,
    channelId: number,
    contents: NewContent[],
    options?: O,
  ): Promise<BatchResult<O>[]> {
    const params = { path: { siteId, channelId } };
    const body = { contents, ...batch(options) };
    const path = "/api/v1/contents/{siteId}/{channelId}/batch";
    return results(this.#transport.api.POST(path, { params, body, ...this.#transport.with(options ?? {}) }));
  }

  /** Update up to 500 contents, each by its `id` and the members to change, and return them. */
  updateMany<const O extends BatchOptions>(
    siteId: number,
    channelId: number,
    contents: components["schemas"]["ChangedContent"][],
    options?: O,
  ): Promise<BatchResult<O>[]> {
    const params = { path: { siteId, channelId } };
    const body = { contents, ...batch(options) };
    const path = "/api/v1/contents/{siteId}/{channelId}/batch";
    return results(this.#transport.api.PUT(path, { params, body, ...this.#transport.with(options ?? {}) }));
  }

  /** Approve up to 500 contents of a channel and return them. */
  checkMany<const O extends NewBatchOptions & { reasons?: string }>(
    siteId: number,
    channelId: number,
    ids: number[],
    options?: O,
  ): Promise<BatchResult<O>[]> {
    const params = { path: { siteId, channelId } };
    const body = { ids, reasons: options?.reasons ?? "", ...batch(options) };
    const path = "/api/v1/contents/{siteId}/{channelId}/batch/check";
    return results(this.#transport.api.POST(path, { params, body, ...this.#transport.with(options ?? {}) }));
  }

  /** Move up to 500 contents to another channel, the last one on top, and return them. */
  moveMany<const O extends NewBatchOptions>(
    siteId: number,
    channelId: number,
    ids: number[],
    targetChannelId: number,
    options?: O,
  ): Promise<BatchResult<O>[]> {
    const params = { path: { siteId, channelId } };
    const body = { ids, targetChannelId, ...batch(options) };
    const path = "/api/v1/contents/{siteId}/{channelId}/batch/move";
    return results(this.#transport.api.POST(path, { params, body, ...this.#transport.with(options ?? {}) }));
  }

  /** Delete up to 500 contents of a channel and return their last state. */
  deleteMany<const O extends NewBatchOptions>(
    siteId: number,
    channelId: number,
    ids: number[],
    options?: O,
  ): Promise<BatchResult<O>[]> {
    const params = { path: { siteId, channelId } };
    const body = { ids, ...batch(options) };
    const path = "/api/v1/contents/{siteId}/{channelId}/batch/delete";
    return results(this.#transport.api.POST(path, { params, body, ...this.#transport.with(options ?? {}) }));
  }
}

function batch(options: BatchOptions | undefined): { atomic: boolean; fields?: string[] } {
  return { atomic: options?.atomic ?? true, ...(options?.fields && { fields: [...options.fields] }) };
}

async function results<O extends BatchOptions>(
  call: Call<components["schemas"]["BatchAnswer"]>,
): Promise<BatchResult<O>[]> {
  const { body, response } = await read(call);
  const each = body.results?.map(({ status, content, error }) => content ?? itemError(response, status, { ...error }));
  return (each ?? body.contents ?? []) as BatchResult<O>[];
}
