import createClient from "openapi-fetch";
import type { components, paths } from "./made/openapi-typescript.js";
import type { Seen, Service } from "./seen.js";

/** A program with the types of openapi-typescript and the client openapi-fetch. */
export async function use({ url, tokens }: Service): Promise<Seen> {
  const headers = { Authorization: `Bearer ${tokens.management}`, "X-Access-Token": tokens.access };
  const client = createClient<paths>({ baseUrl: url, headers });
  const read = (query: paths["/api/entries"]["get"]["parameters"]["query"]) =>
    client.GET("/api/entries", { params: { query } });

  const one = await read({ id: "movies/alien" });
  const root = await read({ id: "", options: { collection: true } });
  const flat = await read({ id: "movies", filter: { limit: 2 } });
  const filter: components["schemas"]["Filter"] = {
    where: { key: "year", expr: "lt", value: 1979 },
    order_by: [{ field: "year", direction: "desc" }],
  };
  const nested = await read({ id: "movies", filter: JSON.stringify(filter) });
  const data = { title: "Dune", year: 2021, cast: [{ name: "Paul" }] };
  const created = await client.POST("/api/entries", { body: { id: "movies/dune", data } });
  const again = await client.POST("/api/entries", { body: { id: "movies/dune", data } });

  const uploaded = await client.POST("/api/files", {
    // Its type for binary data is string.
    body: { folder: "notes", title: "Notes", file: "Day one." },
    bodySerializer: ({ folder, title = "", file }) => {
      const form = new FormData();
      form.set("folder", folder);
      form.set("title", title);
      form.set("file", new File([file], "day.txt"));
      return form;
    },
  });
  const image = await client.GET("/api/images/{path}", {
    params: { path: { path: "movies/solaris.jpg" }, query: { w: "32", fm: "png" } },
    headers: { Authorization: `Bearer ${tokens.images}` },
    parseAs: "blob",
  });
  return {
    one: titleOf(one.data?.data),
    root: titlesOf(root.data?.data),
    flat: titlesOf(flat.data?.data),
    nested: titlesOf(nested.data?.data),
    created: created.data?.data.slug,
    refused: again.error?.code,
    uploaded: uploaded.data?.data.filename,
    image: (image.data as unknown as Blob).type,
  };
}

type Result = components["schemas"]["EntryResult"] | undefined;

const titlesOf = (result: Result): unknown[] => (Array.isArray(result) ? result.map(titleOf) : []);
const titleOf = (result: Result): unknown =>
  typeof result === "object" && result !== null && "title" in result ? result.title : undefined;
