/** What the store of scripts/old-store.ts holds, by calls of the service of 0.3.0. */

export type Body = Record<string, unknown>;

/** The reply to a write, and the sequence of its event. */
export type Written = { data: Record<string, string>; sequence: number; cookie: string };

export type OldSite = {
  /** A write as the token of this name; it takes a minute. Throws for a refusal. */
  send(method: string, path: string, body: Body, as?: string): Promise<Written>;
  upload(folder: string, name: string, bytes: Buffer): Promise<void>;
  /** The secrets of the tokens, by name. */
  tokens: Record<string, string>;
  issue(name: string, input: Body): Promise<void>;
  /** Sets the clock forward; returns its time in Unix seconds. */
  passDays(days: number): number;
  restart(flags?: Record<string, string>): Promise<void>;
  runChore(name: string): Promise<void>;
  /** Publishes what is scheduled for now or before. */
  publishDue(): Promise<void>;
};

/** Noon of 1 January 2100: what is scheduled for it is not due in any test but the one that sets its clock to it. */
export const later = 4_102_488_000;

export async function fillContent(site: OldSite): Promise<void> {
  await makeTokens(site);
  await makePeople(site);
  await makeTypes(site);
  await makeTree(site);
  await makeFiles(site);
  await makeRegistry(site);
}

const all = ["entries", "registry", "files", "folders"];

async function makeTokens({ issue, send }: OldSite): Promise<void> {
  await issue("access", { kind: "access" });
  await issue("editor", { kind: "management", resources: [...all, "admin"] });
  await issue("second", { kind: "management", resources: all });
  await issue("author", { kind: "management", resources: ["entries", "files"], writes: "staged" });
  await issue("section", {
    kind: "management",
    resources: ["entries", "files", "folders"],
    paths: ["articles", "docs"],
  });
  await issue("delivery", { kind: "delivery", resources: all });
  await issue("few", { kind: "delivery", resources: ["entries"], limitCalls: 7, expiresAt: later });
  await send("PATCH", "/api/tokens", { id: "token-few", label: "few é", state: "disabled" });
}

/** Somebody of each state: active, invited, disabled, deleted; the active one has written, and has views. */
async function makePeople({ send }: OldSite): Promise<void> {
  const role = {
    id: "desk",
    title: "Desk",
    resources: ["entries", "files"],
    paths: ["articles", "films"],
    writes: "all",
  };
  await send("PUT", "/api/roles", role);
  const invite = async (name: string): Promise<Record<string, string>> =>
    (await send("POST", "/api/people", { email: `${name}@example.org`, name, role: "desk" })).data;
  await invite("Invited");
  const { link } = await invite("Ada");
  const code = new URL(link ?? "").hash.replace("#code=", "");
  const joined = await send("POST", "/admin/session/link", { code, password: "a quiet harbour at noon" });
  const headers = { Cookie: joined.cookie, "X-CSRF-Token": joined.data.csrf_token };
  await send("POST", "/api/entries", { headers, id: "articles/by-ada", data: { title: "By Ada", rating: 1 } });
  await send("PATCH", "/api/entries", { headers, id: "articles/by-ada", data: { title: "By Ada, twice" } });
  await send("PATCH", "/api/entries/staged", { headers, id: "articles/by-ada", data: { body: "By a person." } });
  const view = { title: "Mine", path: "articles", columns: ["title"], sort: "title", filter: { where: [] } };
  await send("POST", "/api/views", { headers, ...view });
  await send("POST", "/api/views", { headers, ...view, title: "Ours", shared: true });
  await send("PATCH", "/api/people", { id: (await invite("Off")).id, state: "disabled" });
  await send("DELETE", "/api/people", { id: (await invite("Gone")).id });
  const hook = { url: "https://8.8.8.8/hook", label: "é", kinds: ["entry.*"], paths: ["articles"], state: "off" };
  await send("POST", "/api/webhooks", hook);
}

const text = { type: "string" };
const entry = { ...text, format: "entry" };

export const article = (more: Body = {}) => ({
  type: "object",
  required: ["title"],
  properties: {
    title: text,
    body: { ...text, contentMediaType: "text/markdown" },
    author: entry,
    related: { type: "array", items: entry },
    cover: { ...text, format: "file" },
    rating: { type: "integer", maximum: 9 },
    ...more,
  },
});

async function makeTypes({ send }: OldSite): Promise<void> {
  await send("PUT", "/api/types", { id: "article", title: "Article", paths: ["articles/*"], schema: article() });
  const schema = { type: "object", properties: { name: text, best: entry } };
  await send("PUT", "/api/types", { id: "author", title: "Author", paths: ["authors/*"], schema });
  await send("PUT", "/api/types", { id: "free", title: "Free", paths: ["free/**"], mode: "off", schema });
}

const odd = {
  big: 12345678901234567890n.toString(),
  real: 1.5,
  list: [1, "é", null, { a: [] }],
  "a.b": null,
  empty: {},
};

async function makeTree({ send }: OldSite): Promise<void> {
  const create = (id: string, data: Body, more: Body = {}) => send("POST", "/api/entries", { id, data, ...more });
  await create("films", { title: "Films" });
  await create("films/alien", { title: "Alien", year: 1979, tags: ["horror", "space"] });
  await send("PATCH", "/api/entries", { id: "films/alien", data: { year: 1980 } });
  await create("films/solaris", { title: "Solaris", year: 1972, visibility: "draft" });
  await create("films/stalker", { title: "Stalker", year: 1979, visibility: "hidden", routable: false });
  await create("films/later", { title: "Later", year: 2100, published_at: later, published_by: "somebody" });
  await create("odd", { title: 'line\u2028end "quoted" \\ 😀', ...odd });
  for (const id of ["deep", "deep/a", "deep/a/b", "deep/a/b/c", "deep/a/b/c/d"])
    await create(id, { title: `At ${id}`, depth: id.length, text: "words of a text" });
  await create("deep/x/y/z", { title: "Without parents" });
  for (const id of ["lem", "le-guin", "strugatsky"]) await create(`authors/${id}`, { name: id, best: "articles/one" });
  await create("articles", { title: "Articles" });
  for (const [n, id] of ["one", "two", "three", "four", "five", "six", "seven", "eight"].entries()) {
    const body = `See [the next](/articles/${n}) and [Lem](/authors/lem), ![note](/project/uploads/docs/note.txt).`;
    const data = { title: `Article ${id}`, body, author: "authors/lem", related: ["articles/one"], rating: n };
    await create(`articles/${id}`, data);
  }
  const operations = ["a", "b"].map((id) => ({
    method: "POST",
    path: "/api/entries",
    body: { id: `batch/${id}`, data: { id } },
  }));
  await send("POST", "/api/batch", { headers: { "Idempotency-Key": '"a-batch"' }, operations });
}

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function makeFiles({ send, upload }: OldSite): Promise<void> {
  await upload("", "note.txt", Buffer.from("hello\n"));
  await upload("docs", "note.txt", Buffer.from("first\n"));
  await upload("docs", "note.txt", Buffer.from("second\n"));
  await send("PATCH", "/api/files/meta", { path: "docs/note.txt", field: "title", value: "A note" });
  await send("POST", "/api/files/meta", { path: "docs/note.txt", field: "credit.name", value: "Ada" });
  await send("PATCH", "/api/files/meta", { path: "docs/note.txt", field: "credit.name", value: "Ben" });
  await send("DELETE", "/api/files/meta", { path: "docs/note.txt", field: "credit.name" });
  await upload("docs", "note.txt", Buffer.from("third\n"));
  await upload("pictures", "dot.png", dot);
  await send("POST", "/api/files/meta", { path: "pictures/dot.png", field: "focal", value: "0.25,0.5" });
  await send("POST", "/api/files/meta", { path: "pictures/dot.png", field: "alt", value: "A dot" });
  await send("PUT", "/api/files/copy", { path: "docs/note.txt", new_path: "docs/copy.txt" });
  await send("PUT", "/api/files", { path: "docs/copy.txt", new_path: "docs/moved/copy.txt" });
  await upload("docs/moved", "copy.txt", Buffer.from("hello\n"));
  await send("POST", "/api/folders", { path: "empty/below" });
  await upload("docs", "many.txt", Buffer.from("0\n"));
  for (let n = 1; n < 9; n++) await upload("docs", "many.txt", Buffer.from(`${n}\n`));
}

async function makeRegistry({ send }: OldSite): Promise<void> {
  const set = (id: string, value: unknown) => send("PUT", "/api/registry", { id, value });
  for (const value of ["One", "Two", "Drei é"]) await set("site.title", value);
  for (const value of [1, [1, 2.5, "x"], { a: null }]) await set("site.value", value);
  await set("gone.key", "was");
  await send("DELETE", "/api/registry", { id: "gone.key" });
  await set("again.key", "was");
  await send("DELETE", "/api/registry", { id: "again.key" });
  await set("again.key", "is");
  await set("back.key", "first");
  const { sequence } = await set("back.key", "second");
  await send("POST", "/api/registry/restore", { id: "back.key", revision: sequence - 1 });
  for (let n = 0; n < 9; n++) await set("many.key", n);
}
