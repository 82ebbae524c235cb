// Compiled by `npm run check`, never run: the types allow what is right and refuse what is wrong.
import { type AnswerError, anyOf, Client, type Content, etagOf, type Page, where } from "../src/index.js";

const client = new Client("https://cms.example", { apiKey: "ssk1_…", timeout: 5000, retries: { times: 0 } });

export async function right(): Promise<void> {
  const page: Page<Content> = await client.contents.list({ siteId: 1, wheres: [anyOf(where("hits", ">", 1))] });
  for await (const content of client.contents.list({ siteId: 1 })) {
    const title: string = content.title;
    const custom: unknown = content.berth;
    void [title, custom, page];
  }
  const made = await client.contents.create(1, 11, { title: "A", berth: "B 3" });
  await client.contents.update(1, 11, made.id, { isTop: true }, { ifMatch: etagOf(made) });
  const sure: Content[] = await client.contents.deleteMany(1, 11, [made.id]);
  const each: (Content | AnswerError)[] = await client.contents.deleteMany(1, 11, [made.id], { atomic: false });
  const text: string = await client.stl.text("content", { contentId: 3, wordNum: 10 });
  const { data } = await client.api.GET("/api/v1/users/{id}", { params: { path: { id: 1 } } });
  const name: string | undefined = data?.value.userName;
  const [part] = (await client.contents.list({ siteId: 1, fields: ["id", "title", "berth"] })).records;
  const chosen: string | undefined = part?.title;
  const others: unknown[] = [part?.berth, part?.subTitle];
  const { hits }: { hits: number } = await client.contents.get(1, 11, 1, { fields: ["hits"] });
  const [only] = await client.contents.createMany(1, 11, [{ title: "A" }], { fields: ["id"] });
  const id: number | undefined = only?.id;
  void [sure, each, text, name, chosen, others, hits, id];
}

export async function wrong(): Promise<void> {
  // @ts-expect-error: the site is missing
  await client.contents.list({ channelId: 11 });
  // @ts-expect-error: the operators are a closed set
  where("title", "Resembles", "x");
  // @ts-expect-error: an id is a number
  await client.contents.get(1, 11, "30");
  // @ts-expect-error: a content has a title
  await client.contents.create(1, 11, {});
  // @ts-expect-error: a creation has no If-Match
  await client.contents.create(1, 11, { title: "A" }, { ifMatch: "x" });
  // @ts-expect-error: each may be an error
  const sure: Content[] = await client.contents.deleteMany(1, 11, [1], { atomic: false });
  // @ts-expect-error: there is no such filter
  await client.users.list({ nickName: "x" });
  // @ts-expect-error: there is no such path
  await client.api.GET("/api/v1/nothing");
  // @ts-expect-error: the feed has no such filter
  client.changes({ contentId: 1 });
  // @ts-expect-error: the title was not asked for
  const title: string = (await client.contents.get(1, 11, 1, { fields: ["id"] })).title;
  // @ts-expect-error: nor here
  const titles: string[] = (await client.contents.list({ siteId: 1, fields: ["id"] })).records.map((one) => one.title);
  // @ts-expect-error: nor in a batch
  const many: { title: string }[] = await client.contents.createMany(1, 11, [{ title: "A" }], { fields: ["id"] });
  void [sure, title, titles, many];
}
