import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Reply, useWorld } from "../../test/harness.ts";

/** What those whose writes are staged may say about files that they uploaded. Contract §5, Meta. */

const world = useWorld();
type Holder = { secret: string; id: string };
let ada: Holder;
let bob: Holder;

before(async () => {
  await world.ready;
  const issue = () => world.issue("management", ["files", "entries"], { writes: "staged" });
  [ada, bob] = [await issue(), await issue()];
});

const as = (secret = world.token.management) => ({ token: secret, access_token: world.token.access });

async function upload(name: string, by?: string, more: Record<string, string> = {}): Promise<void> {
  const form = new FormData();
  for (const [key, value] of Object.entries({ ...as(by), folder: "up", ...more })) form.set(key, value);
  form.set("file", new Blob([name]), name);
  assert.equal((await fetch(`${world.app.url}/api/files`, { method: "POST", body: form })).status, 200);
}

const meta = (verb: string, path: string, field: string, by?: string, value = "0.5,0.5"): Promise<Reply> =>
  world.send(verb, "/api/files/meta", { body: { ...as(by), path, field, ...(verb !== "DELETE" && { value }) } });
const codeOf = ({ status, json }: Reply) => [status, json.code];
const refused = [403, "scope_missing"];

test("an author describes a file of his own: title, description, alt and focal, and no other field", async () => {
  await upload("own.txt", ada.secret);
  for (const field of ["title", "description"])
    assert.equal((await meta("PATCH", "up/own.txt", field, ada.secret)).status, 200, field);
  for (const field of ["alt", "focal"])
    for (const verb of ["POST", "PATCH", "DELETE", "POST"])
      assert.equal((await meta(verb, "up/own.txt", field, ada.secret)).status, 200, `${verb} ${field}`);
  for (const field of ["credit", "alt.de"])
    assert.deepEqual(codeOf(await meta("POST", "up/own.txt", field, ada.secret)), refused, field);
  assert.equal((await meta("POST", "up/own.txt", "credit")).status, 200, "others write all of it");
  for (const verb of ["PATCH", "DELETE"])
    assert.deepEqual(codeOf(await meta(verb, "up/own.txt", "credit", ada.secret)), refused, verb);
});

test("an author's upload of another name that becomes one in use gets a number, one of the same name is refused", async () => {
  const send = async (name: string, more: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [key, value] of Object.entries({ ...as(ada.secret), folder: "names", ...more })) form.set(key, value);
    form.set("file", new Blob([name]), name);
    const reply = await fetch(`${world.app.url}/api/files`, { method: "POST", body: form });
    return [reply.status, reply.headers.get("octavo-file")];
  };
  assert.deepEqual(await send("a b.txt"), [200, "names/a-b.txt"]);
  assert.deepEqual(await send("a#b.txt"), [200, "names/a-b-1.txt"]);
  for (const name of ["a b.txt", "a#b.txt"]) assert.deepEqual(await send(name), [403, null], name);
  assert.deepEqual(await send("a&b.txt", { on_conflict: "replace" }), [403, null]);
});

test("not those of others, copies, or files whose bytes somebody else has replaced", async () => {
  await upload("theirs.txt");
  assert.deepEqual(codeOf(await meta("POST", "up/theirs.txt", "alt", ada.secret)), refused);
  await upload("mine.txt", ada.secret);
  assert.deepEqual(codeOf(await meta("POST", "up/mine.txt", "alt", bob.secret)), refused);
  const copy = { ...as(), path: "up/mine.txt", new_path: "up/copy.txt" };
  assert.equal((await world.send("PUT", "/api/files/copy", { body: copy })).status, 200);
  assert.deepEqual(codeOf(await meta("POST", "up/copy.txt", "alt", ada.secret)), refused);
  // It is theirs through a move and the trash.
  const move = { ...as(), path: "up/mine.txt", new_path: "up/moved.txt" };
  assert.equal((await world.send("PUT", "/api/files", { body: move })).status, 200);
  const gone = await world.send("DELETE", "/api/files", { body: { ...as(), path: "up/moved.txt" } });
  assert.equal(gone.status, 204);
  const admin = await world.issue("management", ["files", "admin"]);
  const trash = (await world.send("GET", "/api/trash", { query: { token: admin.secret } })).json.data as {
    id: number;
  }[];
  const back = await world.send("POST", "/api/trash/restore", { body: { ...as(), id: trash[0]?.id } });
  assert.equal(back.status, 200, back.text);
  assert.equal((await meta("POST", "up/moved.txt", "alt", ada.secret)).status, 200);
  await upload("moved.txt", undefined, { on_conflict: "replace" });
  assert.deepEqual(codeOf(await meta("PATCH", "up/moved.txt", "alt", ada.secret)), refused);
  assert.deepEqual(codeOf(await meta("POST", "up/none.txt", "alt", ada.secret)), [404, "file_not_found"]);
});

test("nothing that a public entry uses, by a link or in a field; drafts, copies and the future do not count", async () => {
  await upload("used.txt", ada.secret);
  const link = { content: "See [it](/project/uploads/up/used.txt)." };
  const put = (id: string, data: object) => world.send("POST", "/api/entries", { body: { ...as(), id, data } });
  await put("draft", { ...link, visibility: "draft" });
  await put("later", { ...link, published_at: Math.floor(Date.now() / 1000) + 1000 });
  await put("live", {});
  await world.send("PATCH", "/api/entries/staged", { body: { ...as(), id: "live", data: link } });
  const write = (by: Holder) => meta("PATCH", "up/used.txt", "title", by.secret);
  assert.equal((await write(ada)).status, 200);
  await world.send("POST", "/api/entries/publish", { body: { ...as(), id: "live" } });
  const reply = await write(ada);
  assert.deepEqual(codeOf(reply), [409, "in_use"]);
  assert.match(String(reply.json.detail), /, which a public entry shows: ".+"; expected a token whose writes are all$/);
  assert.match(reply.text, /live/);
  assert.doesNotMatch(reply.text, /draft|later/);
  assert.deepEqual(codeOf(await write(bob)), refused, "whose it is comes first");
  // What the access does not reach is not named.
  const apart = await world.issue("management", ["files"], { writes: "staged", paths: ["up"] });
  await upload("apart.txt", apart.secret);
  await put("public", { content: "![x](/project/uploads/up/apart.txt)" });
  const unnamed = await meta("PATCH", "up/apart.txt", "title", apart.secret);
  assert.deepEqual(codeOf(unnamed), [409, "in_use"]);
  assert.match(String(unnamed.json.detail), /, which a public entry shows; expected a token whose writes are all$/);
  assert.doesNotMatch(unnamed.text, /"public"/);
});
