import { type Call, type CallOptions, read, type Transport } from "./transport.js";

/** A change of a record, with the members of the API. */
export type Change = Record<string, unknown>;

export interface ChangeQuery extends CallOptions {
  siteId: number;
  /** Cursor after which to begin, such as that of an earlier feed. Default: what the server has kept. */
  after?: string | undefined;
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

/** The changes of a site, as they happen: `for await` waits for further ones, until its signal is aborted.
 *
 * Keep `cursor`, and a feed that begins there continues without losing a change. It moves after the last change of a
 * response, so that after a failure some changes may come again.
 */
export class ChangeFeed implements AsyncIterable<Change> {
  readonly #transport: Transport;
  readonly #query: ChangeQuery;
  #cursor: string | undefined;

  constructor(transport: Transport, query: ChangeQuery) {
    this.#transport = transport;
    this.#query = query;
    this.#cursor = query.after;
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change> {
    for (;;) {
      const page = await this.#next();
      yield* page.changes;
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
