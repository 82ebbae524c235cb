import { type Call, type CallOptions, read, type Transport } from "./transport.js";

/** A change of a content, channel, site or user. */
export interface Change {
  /** Position of the change; `after` accepts it. */
  id: number;
  /** Time of the change, as YYYY-MM-DD HH:MM:SS. */
  at: string;
  /** Subject and verb, such as content.published. Later releases may have more. */
  event: string;
  siteId: number | null;
  channelId: number | null;
  contentId: number | null;
  userId: number | null;
  /** Version of the content after the change. */
  version: number | null;
  /** Names of the changed members. */
  fields: string[];
  /** True if the record is in the trash or deleted for good. */
  isDeleted: boolean;
}

export interface ChangeQuery extends CallOptions {
  /** Default: every site of the key. */
  siteId?: number | undefined;
  /** Cursor of an earlier feed, id of a change, or "start" for the oldest stored change. Default: from now on. */
  after?: string | number | undefined;
  /** Number of changes per response. Default: that of the server. */
  limit?: number | undefined;
  /** Seconds that the server waits for a change before it responds without one. 0 ends the loop after the last change.
   *
   * Default: 30.
   */
  wait?: number | undefined;
}

interface ChangePage {
  changes: Change[];
  nextCursor: string;
  hasMore: boolean;
}

/** The changes that the key may see, as they happen: `for await` waits for further ones, until its signal is aborted.
 *
 * `cursor` moves when the loop asks for the change after the one that it has. Keep it, and a feed that begins there
 * continues without losing a change. So does another loop over the same feed, such as after an error.
 */
export class ChangeFeed implements AsyncIterable<Change> {
  readonly #transport: Transport;
  readonly #query: ChangeQuery;
  #cursor: string | undefined;

  constructor(transport: Transport, query: ChangeQuery) {
    this.#transport = transport;
    this.#query = query;
    this.#cursor = query.after === undefined ? undefined : String(query.after);
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change> {
    for (;;) {
      const page = await this.#next();
      for (const change of page.changes) {
        yield change;
        this.#cursor = String(change.id);
      }
      this.#cursor = page.nextCursor;
      if (this.#query.wait === 0 && !page.hasMore) {
        return;
      }
    }
  }

  async #next(): Promise<ChangePage> {
    const { siteId, limit, signal, wait = 30, timeout = this.#transport.timeout } = this.#query;
    const query = { siteId, after: this.#cursor, limit, wait };
    const given = this.#transport.with({ signal, timeout: timeout + wait * 1000 });
    const call: unknown = this.#transport.api.GET("/api/v1/changes" as never, { params: { query }, ...given } as never);
    return (await read(call as Call<ChangePage>)).body;
  }
}
