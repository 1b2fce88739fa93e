import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "../../test/harness.ts";

/** Translators' files over HTTP. Contract §24. */

const world = useWorld({ locales: "en,de,fr" });
const url = "/api/translations/xliff";

type Data = Record<string, unknown>;
const write = async (method: string, path: string, body: object) => {
  const { management, access } = world.token;
  const reply = await world.send(method, path, { body: { token: management, access_token: access, ...body } });
  assert.ok(reply.status < 300, reply.text);
  return reply.json?.data as Data;
};
const create = (id: string, data: object = {}) => write("POST", "/api/entries", { id, data });
const read = (path: string, query: Record<string, string>, token = world.token.management) =>
  world.send("GET", path, { query: { token, ...query } });
const exported = async (query: Record<string, string>) => {
  const reply = await read(url, query);
  assert.equal(reply.status, 200, reply.text);
  return reply.text;
};
const upload = async (
  bytes: string | Uint8Array<ArrayBuffer>,
  access = world.token.access,
  management = world.token.management,
) => {
  const form = new FormData();
  form.set("token", management);
  form.set("access_token", access);
  form.set("file", new Blob([bytes]), "de.xliff");
  const reply = await fetch(world.app.url + url, { method: "POST", body: form });
  const json = (await reply.json()) as Data & { data: Data };
  return { status: reply.status, json, data: json.data };
};
const imported = async (text: string | Uint8Array<ArrayBuffer>) => {
  const { status, json, data } = await upload(text);
  assert.equal(status, 200, JSON.stringify(json));
  return data;
};
const nothing = { applied: 0, unchanged: 0, outdated: [], partial: [], unknown: [], refused: [] };
/** The file with a target in each segment. */
const filled = (text: string, translate: (source: string) => string) =>
  text.replace(
    /<source>((?:(?!<source>).)*?)<\/source>(<target[^>]*>.*?<\/target>)?(?=<\/segment>)/gs,
    (_, source: string) => `<source>${source}</source><target>${translate(source)}</target>`,
  );
const stagedIn = async (id: string, locale: string) =>
  (await read("/api/entries/staged", { id, locale })).json.data as Data;

for (const version of ["2.1", "1.2"])
  test(`an exported file ${version} changes nothing when it is read again, and targets are staged alone`, async () => {
    const top = `a${version.replace(".", "")}`;
    await create(top, {
      title: "Hello",
      content: "One *two*.\n\n- item `code`\n",
      n: 3,
      list: [{ key: "x", text: "Item" }],
    });
    await create(`${top}/b`, { title: "World" });
    await write("PATCH", "/api/entries/translations", { id: top, locale: "de", data: { title: "Hallo" } });
    const text = await exported({ id: top, locale: "de", version });
    assert.match(text, new RegExp(`^<\\?xml[^>]*>\\n<xliff [^>]*version="${version}"`));
    assert.deepEqual(await imported(text), { ...nothing, unchanged: 1 });
    assert.deepEqual((await read("/api/entries/staged/list", {})).json.data, []);
    if (version === "1.2") return;
    const whole = filled(text, (source) => source.replace(/[^<>]+(?=<|$)/g, (part) => part.toUpperCase()));
    const outcome = await imported(whole);
    assert.deepEqual(outcome, { ...nothing, applied: 4 });
    assert.deepEqual(await imported(whole), { ...nothing, unchanged: 4 });
    assert.equal(
      ((await read("/api/entries", { id: top, locale: "de" }, world.token.delivery)).json.data as Data).title,
      "Hallo",
    );
    const staged = await stagedIn(top, "de");
    assert.deepEqual(
      [staged.title, staged.content, staged.list, staged.n],
      ["HELLO", "ONE *TWO*.\n\n- ITEM `code`\n", [{ key: "x", text: "ITEM" }], 3],
    );
    assert.equal((await stagedIn(`${top}/b`, "de")).title, "WORLD");
    assert.deepEqual(await imported(await exported({ id: top, locale: "de", version })), { ...nothing, unchanged: 4 });
    assert.deepEqual(await imported(await exported({ id: top, locale: "de", version: "1.2" })), {
      ...nothing,
      unchanged: 4,
    });
    for (const id of [top, `${top}/b`]) await write("DELETE", "/api/entries/staged", { id, locale: "de" });
  });

test("a unit whose source has changed since is named and left, and what nothing has is unknown", async () => {
  await create("o", { title: "Hello", text: "Text" });
  const file = filled(await exported({ id: "o", locale: "de" }), (source) => `${source}!`);
  await write("PATCH", "/api/entries", { id: "o", data: { title: "Hello, changed" } });
  assert.deepEqual(await imported(file), { ...nothing, applied: 1, outdated: [{ id: "o", pointer: "/title" }] });
  assert.deepEqual([(await stagedIn("o", "de")).title, (await stagedIn("o", "de")).text], ["Hello, changed", "Text!"]);
  const uuid = /<file id="([^"]+)"/.exec(file)?.[1] as string;
  await write("PUT", "/api/entries", { id: "o", new_id: "moved" });
  assert.equal((await imported(file)).unchanged, 1);
  await write("DELETE", "/api/entries", { id: "moved" });
  assert.deepEqual(await imported(file), { ...nothing, unknown: [`${uuid}#/title`, `${uuid}#/text`] });
});

test("units are selected by their state, and depth and id by the place", async () => {
  await create("s", { title: "Hello", text: "Text" });
  await create("s/t", { title: "Below" });
  await write("PATCH", "/api/entries/translations", { id: "s", locale: "de", data: { title: "Hallo", text: "Satz" } });
  await write("PATCH", "/api/entries", { id: "s", data: { text: "Other" } });
  const names = async (query: Record<string, string>) =>
    [...(await exported({ id: "s", locale: "de", ...query })).matchAll(/ name="[^#]*#([^"]*)"/g)].map(
      ([, name]) => name,
    );
  assert.deepEqual(await names({}), ["/title", "/text", "/title"]);
  assert.deepEqual(await names({ state: "missing" }), ["/title"]);
  assert.deepEqual(await names({ state: "outdated" }), ["/text"]);
  assert.deepEqual(await names({ state: "done", locale: "DE" }), ["/title"]);
  assert.deepEqual(await names({ depth: "1" }), ["/title"]);
  assert.deepEqual(await names({ locale: "fr", state: "done" }), []);
});

test("a translator imports his locale alone, and nobody what he does not reach", async () => {
  await create("r", { title: "Hello" });
  const { secret: staging } = await world.issue("management", ["entries"], { writes: "staged", locales: ["fr"] });
  const { secret: other } = await world.issue("management", ["entries"], { paths: ["elsewhere"] });
  const file = filled(await exported({ id: "r", locale: "de" }), () => "Hallo");
  const french = filled(await exported({ id: "r", locale: "fr" }), () => "Salut");
  const { access } = world.token;
  assert.deepEqual((await upload(file, access, staging)).json.code, "scope_missing");
  assert.deepEqual((await upload(french, access, staging)).data, { ...nothing, applied: 1 });
  const { data } = await upload(file, access, other);
  assert.deepEqual([data.applied, (data.unknown as string[]).length], [0, 1]);
  assert.equal((await upload(file, access, world.token.delivery)).status, 403);
});

test("one entry that cannot be staged does not keep the others from it", async () => {
  await create("k", { title: "Hello" });
  await create("k/l", { title: "World" });
  await write("PATCH", "/api/entries/staged", { id: "k", locale: "de", data: { title: "Alt" } });
  await write("POST", "/api/entries/publish", { id: "k", locale: "de", at: 4_000_000_000 });
  const outcome = await imported(filled(await exported({ id: "k", locale: "de" }), (source) => `${source}!`));
  assert.deepEqual(
    [outcome.applied, (outcome.refused as { id: string; code: string }[]).map(({ id, code }) => `${id} ${code}`)],
    [1, ["k publish_scheduled"]],
  );
});

test("what is no such file is refused, and UTF-16 is read", async () => {
  await create("f", { title: "Hellö" });
  const file = filled(await exported({ id: "f", locale: "de" }), () => "Hallö");
  const utf16 = Buffer.from(`\ufeff${file.replace("UTF-8", "UTF-16")}`, "utf16le");
  assert.deepEqual(await imported(new Uint8Array(utf16)), { ...nothing, applied: 1 });
  const cases: [text: string | Uint8Array<ArrayBuffer>, code: string][] = [
    ["", "xliff_invalid"],
    ["<a/>", "xliff_invalid"],
    [new Uint8Array(Buffer.from(file, "latin1")), "xliff_invalid"],
    [file.replace('trgLang="de"', 'trgLang="es"'), "locale_unknown"],
    [file.replace('trgLang="de"', 'trgLang="en"'), "argument_invalid"],
    [file.replace('srcLang="en"', 'srcLang="es"'), "argument_invalid"],
  ];
  for (const [text, code] of cases) {
    const { status, json } = await upload(text);
    assert.deepEqual([status, json.code], [400, code], JSON.stringify(json));
  }
  assert.equal((await read(url, { id: "f" })).json.code, "argument_missing");
  assert.equal((await read(url, { id: "nowhere", locale: "de" })).json.code, "entry_not_found");
  const head = await fetch(`${world.app.url}${url}?id=f&locale=de&token=${world.token.management}`, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-type")], [200, "application/xliff+xml"]);
});
