import { BadRequest } from "./errors.js";
import type { ContentList, Page } from "./records.js";

/** A list: `await` requests one page, `for await` all records, page by page, and `pages()` all pages. */
export class Listing<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #first: () => Promise<Page<T>>;
  readonly #pages: () => AsyncGenerator<Page<T>>;
  #page: Promise<Page<T>> | undefined;

  constructor(first: () => Promise<Page<T>>, pages: () => AsyncGenerator<Page<T>>) {
    this.#first = first;
    this.#pages = pages;
  }

  // biome-ignore lint/suspicious/noThenProperty: what is awaited is the page
  then<A = Page<T>, B = never>(
    onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#page ??= this.#first();
    return this.#page.then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.then(undefined, onRejected);
  }

  /** Request one page after another. No record comes twice; pages without new records are empty. */
  pages(): AsyncGenerator<Page<T>> {
    return this.#pages();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const page of this.#pages()) {
      yield* page.records;
    }
  }
}

/** Request pages by cursor, or by number for orders that have no cursors. */
export async function* contentPages<T extends { id?: number }>(
  request: ContentList,
  ask: (request: ContentList) => Promise<Page<T>>,
): AsyncGenerator<Page<T>> {
  const size = sizeOf(request.perPage);
  let page: Page<T>;
  try {
    page = await ask({ ...request, perPage: size, cursor: "" });
  } catch (error) {
    if (!(error instanceof BadRequest) || error.code !== "invalid_cursor") {
      throw error;
    }
    yield* numberedPages({ ...request, perPage: size }, size, ask);
    return;
  }
  for (;;) {
    yield page;
    if (page.nextCursor === null) {
      return;
    }
    // The first page has the total; counting again is expensive.
    page = await ask({ ...request, perPage: size, cursor: page.nextCursor, count: "none" });
  }
}

/** Request numbered pages, with the id as the last order, so that pages neither overlap nor leave gaps.
 *
 * Records that an earlier page had are left out, because new records can shift the pages.
 */
async function* numberedPages<T extends { id?: number }>(
  request: ContentList,
  size: number,
  ask: (request: ContentList) => Promise<Page<T>>,
): AsyncGenerator<Page<T>> {
  const orders = [...(request.orders ?? [])];
  if (!orders.some((order) => order.column.toLowerCase() === "id")) {
    orders.push({ column: "id", desc: false });
  }
  const fields = request.fields?.length ? [...request.fields, "id"] : request.fields;
  const seen = new Set<number | undefined>();
  for (let number = 1; ; number += 1) {
    const page = await ask({ ...request, orders, fields: fields && [...new Set(fields)], page: number });
    const records = page.records.filter((record) => !seen.has(record.id));
    for (const record of records) {
      seen.add(record.id);
    }
    yield { ...page, records };
    if (page.records.length < size) {
      return;
    }
  }
}

/** Request a GET list in windows, each of which begins with the last record of the previous one.
 *
 * If it does not, records before it have been deleted or inserted, and the window moves back to a known record.
 */
export async function* windows<T extends { id: number }>(
  size: number,
  ask: (skip: number, top: number) => Promise<Page<T>>,
): AsyncGenerator<Page<T>> {
  const seen = new Set<number>();
  let skip = 0;
  let top = size;
  for (;;) {
    const page = await ask(skip, top);
    const first = page.records[0];
    if (skip > 0 && !(first && seen.has(first.id))) {
      skip = Math.max(skip - size, 0);
      continue;
    }
    const records = page.records.filter((record) => !seen.has(record.id));
    for (const record of records) {
      seen.add(record.id);
    }
    yield { ...page, records };
    const count = page.records.length;
    if (page.total === null ? count < top : skip + count >= page.total) {
      return;
    }
    skip += count - 1;
    top = size + 1;
  }
}

/** Request the pages of a GET list by cursor. */
export async function* cursors<T>(ask: (cursor: string) => Promise<Page<T>>): AsyncGenerator<Page<T>> {
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Page<T> = await ask(cursor);
    yield page;
    cursor = page.nextCursor;
  }
}

/** Return the number of records per page. Throws RangeError if it is less than 1. */
export function sizeOf(perPage: number | string | null | undefined): number {
  const size = Number(perPage ?? 100);
  if (!Number.isInteger(size) || size < 1) {
    throw new RangeError("perPage is a whole number, at least 1.");
  }
  return size;
}
