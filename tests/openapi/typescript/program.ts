// A program on the types that openapi-typescript makes of the document; it only has to compile.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const client = createClient<paths>({ baseUrl: "http://127.0.0.1:8000", headers: { "X-SS-API-KEY": "ssk1_…" } });

export async function lengthOfFirstTitle(): Promise<number> {
  const wheres: components["schemas"]["WhereEntry"][] = [{ column: "title", operator: "Like", value: "%harbour%" }];
  const { data, error } = await client.POST("/api/v1/contents", { body: { siteId: 1, wheres } });
  if (error) {
    throw new Error(`${error.code}: ${error.message}`);
  }
  // Without `fields` each content is whole.
  const contents = data.contents as components["schemas"]["Content"][];
  return contents[0].title.length;
}

export async function parentOfChannel(channelId: number): Promise<number> {
  const { data } = await client.GET("/api/v1/channels/{siteId}/{channelId}", {
    params: { path: { siteId: 1, channelId } },
  });
  return data ? data.value.parentId : 0;
}

export const unknownOperator: components["schemas"]["Where"] = {
  column: "title",
  // @ts-expect-error: the operators are a closed set
  operator: "Resembles",
};
