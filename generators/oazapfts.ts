import * as api from "./made/oazapfts.js";
import type { Seen, Service } from "./seen.js";

/** A program with the client of oazapfts. */
export async function use({ url, tokens }: Service): Promise<Seen> {
  api.defaults.baseUrl = url;
  api.defaults.headers = { Authorization: `Bearer ${tokens.management}`, "X-Access-Token": tokens.access };

  const one = await api.getEntries("movies/alien");
  const root = await api.getEntries("", { options: { collection: true } });
  const flat = await api.getEntries("movies", { filter: { limit: 2 } });
  const filter: api.Filter = {
    where: { key: "year", expr: "lt", value: 1979 },
    order_by: { field: "year", direction: "desc" },
  };
  const nested = await api.getEntries("movies", { filter });
  const data = { title: "Dune", year: 2021, cast: [{ name: "Paul" }] };
  const created = await api.postEntries({ id: "movies/dune", data });
  const again = await api.postEntries({ id: "movies/dune", data });
  const file = new File(["Day one."], "day.txt");
  const uploaded = await api.postFiles({ folder: "notes", title: "Notes", file });
  const headers = { Authorization: `Bearer ${tokens.images}` };
  // The client reads a reply as text if it may also be a problem, so the bytes are captured from fetch.
  let bytes: Promise<Blob> | undefined;
  const fetchBytes: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    bytes = response.clone().blob();
    return response;
  };
  const image = await api.getImages("movies/solaris.jpg", { w: "32", fm: "png" }, { headers, fetch: fetchBytes });
  return {
    one: one.status === 200 ? titleOf(one.data.data) : one.status,
    root: root.status === 200 ? titlesOf(root.data.data) : [],
    flat: flat.status === 200 ? titlesOf(flat.data.data) : [],
    nested: nested.status === 200 ? titlesOf(nested.data.data) : [],
    created: created.status === 200 ? created.data.data.slug : created.status,
    refused: again.status === 409 ? again.data.code : again.status,
    uploaded: uploaded.status === 200 ? uploaded.data.data.filename : uploaded.status,
    image: image.status === 200 ? (await bytes)?.type : image.status,
  };
}

const titlesOf = (result: api.EntryResult): unknown[] => (Array.isArray(result) ? result.map(titleOf) : []);
const titleOf = (result: api.EntryResult): unknown =>
  typeof result === "object" && result !== null && "title" in result ? result.title : undefined;
