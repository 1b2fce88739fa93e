import { client } from "./made/hey-api/client.gen.js";
import { getEntries, getImages, postEntries, postFiles } from "./made/hey-api/sdk.gen.js";
import type { EntryResult, Filter, GetEntriesData } from "./made/hey-api/types.gen.js";
import type { Seen, Service } from "./seen.js";

/** A program with the client of @hey-api/openapi-ts. */
export async function use({ url, tokens }: Service): Promise<Seen> {
  client.setConfig({
    baseUrl: url,
    auth: ({ name }) => (name === "X-Access-Token" ? tokens.access : tokens.management),
  });
  const read = (query: GetEntriesData["query"]) => getEntries({ query });

  const one = await read({ id: "movies/alien" });
  const root = await read({ id: "", options: { collection: true } });
  const flat = await read({ id: "movies", filter: { limit: 2 } });
  const filter: Filter = {
    where: { key: "year", expr: "lt", value: 1979 },
    order_by: [{ field: "year", direction: "desc" }],
  };
  const nested = await read({ id: "movies", filter: JSON.stringify(filter) });
  const data = { title: "Dune", year: 2021, cast: [{ name: "Paul" }] };
  const created = await postEntries({ body: { id: "movies/dune", data } });
  const again = await postEntries({ body: { id: "movies/dune", data } });
  const file = new File(["Day one."], "day.txt");
  const uploaded = await postFiles({ body: { folder: "notes", title: "Notes", file } });
  const image = await getImages({
    path: { path: "movies/solaris.jpg" },
    query: { w: "32", fm: "png" },
    auth: tokens.images,
  });
  return {
    one: titleOf(one.data?.data),
    root: titlesOf(root.data?.data),
    flat: titlesOf(flat.data?.data),
    nested: titlesOf(nested.data?.data),
    created: created.data?.data.slug,
    refused: again.error?.code,
    uploaded: uploaded.data?.data.filename,
    image: image.data?.type,
  };
}

const titlesOf = (result: EntryResult | undefined): unknown[] => (Array.isArray(result) ? result.map(titleOf) : []);
const titleOf = (result: EntryResult | undefined): unknown =>
  typeof result === "object" && result !== null && !Array.isArray(result) ? result.title : undefined;
