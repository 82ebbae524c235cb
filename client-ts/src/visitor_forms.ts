import { Listing, sizeOf } from "./listing.js";
import type { EntryFilters, FormDefinition, FormEntry, FormEntryChanges, Page, SentForm, VisitorForm } from "./records.js";
import type { CallOptions, ChangeOptions, ReadOptions, Transport } from "./transport.js";
import { read, tagged, valueIn } from "./transport.js";

export interface SubmitOptions extends CallOptions {
  /** Channel that the page is about. */
  channelId?: number | undefined;
  /** Content that the page is about. */
  contentId?: number | undefined;
}

/** Operations of `client.forms`; a form is its id or its name. Except `styles` and `submit`, they need the scope `Forms`. */
export class Forms {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Return the forms of a site. */
  list(siteId: number, options: ReadOptions = {}): Promise<VisitorForm[]> {
    const call = { params: { path: { siteId } }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.GET("/api/v1/forms/{siteId}", call));
  }

  /** Return the fields (`styles`) and texts of a form. */
  async styles(siteId: number, form: number | string, options: ReadOptions = {}): Promise<FormDefinition> {
    const call = { params: { query: placeOf(siteId, form) }, ...this.#transport.with(options) };
    const { body, response } = await read(this.#transport.api.GET("/api/v1/forms/styles", call));
    return tagged(body, response);
  }

  /** Send a form as visitors do; a lost answer is not asked for again. BadRequest has `members.errors` by field. */
  async submit(
    siteId: number,
    form: number | string,
    values: Record<string, string | string[]>,
    { channelId, contentId, ...options }: SubmitOptions = {},
  ): Promise<SentForm> {
    const query = { ...placeOf(siteId, form), channelId, contentId };
    const call = { params: { query }, body: values, ...this.#transport.with(options) };
    return (await read(this.#transport.api.POST("/api/v1/forms", call))).body;
  }

  /** List entries, newest first: `await` one page, by default 30 entries, or `for await` each. */
  entries(
    siteId: number,
    form: number | string,
    filters: EntryFilters = {},
    options: ReadOptions & { page?: number; perPage?: number } = {},
  ): Listing<FormEntry> {
    const { ifNoneMatch: _, page, perPage, ...others } = options;
    const ask = async (given: ReadOptions, place: { page?: number; perPage?: number }): Promise<Page<FormEntry>> => {
      const query = { ...placeOf(siteId, form), ...filters, ...place };
      const call = this.#transport.api.GET("/api/v1/forms", { params: { query }, ...this.#transport.with(given) });
      const { body, response } = await read(call);
      return tagged({ records: body.items, total: body.total, nextCursor: null }, response);
    };
    const place = { ...(page === undefined ? {} : { page }), ...(perPage === undefined ? {} : { perPage }) };
    return new Listing(
      () => ask(options, place),
      () => numbered(sizeOf(perPage), (number, size) => ask(others, { page: number, perPage: size })),
    );
  }

  /** Return an entry. */
  get(siteId: number, id: number, options: ReadOptions = {}): Promise<FormEntry> {
    const call = { params: { path: { siteId, id } }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.GET("/api/v1/forms/{siteId}/entries/{id}", call));
  }

  /** Set the state or the reply of an entry, and return it. */
  update(siteId: number, id: number, members: FormEntryChanges, options: ChangeOptions = {}): Promise<FormEntry> {
    const call = { params: { path: { siteId, id } }, body: members, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.PUT("/api/v1/forms/{siteId}/entries/{id}", call));
  }

  /** Delete an entry for good, and return it. */
  delete(siteId: number, id: number, options: ChangeOptions = {}): Promise<FormEntry> {
    const call = { params: { path: { siteId, id } }, ...this.#transport.with(options) };
    return valueIn(this.#transport.api.DELETE("/api/v1/forms/{siteId}/entries/{id}", call));
  }
}

function placeOf(siteId: number, form: number | string): { siteId: number; formId?: number; formName?: string } {
  return typeof form === "string" ? { siteId, formName: form } : { siteId, formId: form };
}

/** Request numbered pages; entries that an earlier page had are left out, because new ones shift the pages. */
async function* numbered(
  size: number,
  ask: (number: number, size: number) => Promise<Page<FormEntry>>,
): AsyncGenerator<Page<FormEntry>> {
  const seen = new Set<number>();
  for (let number = 1; ; number += 1) {
    const page = await ask(number, size);
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
