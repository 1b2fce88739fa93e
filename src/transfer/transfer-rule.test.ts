import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { allResources, type Reply, useWorld } from "../../test/harness.ts";
import type { Path } from "../core/path.ts";

/** Who may make uploads that go on, and that what comes out is what a form makes. Contract, part three, §16. */

const world = useWorld({ "auth-failures-per-minute": "0" });
const tus = { "Tus-Resumable": "1.0.0" };
const bytesType = { "Content-Type": "application/offset+octet-stream" };
type Headers = Record<string, string>;

const pairOf = (token: string, access = world.token.access): Headers => ({
  Authorization: `Bearer ${token}`,
  "X-Access-Token": access,
});
const metadata = (fields: Headers): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join(",");

function whole(
  fields: Headers,
  text: string,
  headers: Headers = pairOf(world.token.management),
  more: Headers = {},
): Promise<Reply> {
  const sent = { "Upload-Length": String(Buffer.byteLength(text)), "Upload-Metadata": metadata(fields) };
  return world.send("POST", "/api/uploads", {
    headers: { ...tus, ...bytesType, ...headers, ...sent, ...more },
    body: text,
  });
}
function form(fields: Headers, text: string, headers: Headers = pairOf(world.token.management)): Promise<Reply> {
  const { filename = "", ...rest } = fields;
  const parts = Object.entries(rest).map(
    ([name, value]) => `--e\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--e\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n${text}\r\n--e--\r\n`;
  const body = parts.join("") + file;
  return world.send("POST", "/api/files", {
    headers: { ...headers, "Content-Type": "multipart/form-data; boundary=e" },
    body,
  });
}
const addressOf = (reply: Reply) => `/api/${reply.headers.get("location")}`;
const events = async () =>
  (await world.app.stores.events.list(0, 1000)).map(({ kind, subject }) => `${kind} ${subject}`);

function refused(reply: Reply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.json.code], [status, code], reply.text);
  assert.equal(reply.headers.get("tus-resumable"), "1.0.0");
}

test("tokens: as for an upload form, in headers or in the query", async () => {
  const fields = { folder: "", filename: "t.txt" };
  refused(await whole(fields, "t", {}), 401, "token_missing");
  refused(await whole(fields, "t", pairOf("oct_m_unknown")), 401, "token_invalid");
  refused(await whole(fields, "t", { Authorization: `Bearer ${world.token.management}` }), 401, "access_token_missing");
  refused(await whole(fields, "t", pairOf(world.token.management, "oct_a_unknown")), 401, "access_token_invalid");
  for (const kind of ["delivery", "images", "access"] as const)
    refused(await whole(fields, "t", pairOf(world.token[kind])), 403, "scope_missing");
  const { secret: others } = await world.issue(
    "management",
    allResources.filter((name) => name !== "files"),
  );
  refused(await whole(fields, "t", pairOf(others)), 403, "scope_missing");
  const query = { token: world.token.management, access_token: world.token.access };
  const sent = { ...tus, ...bytesType, "Upload-Length": "6", "Upload-Metadata": metadata({ ...fields, token: "x" }) };
  const begun = await world.send("POST", "/api/uploads", { headers: sent, query });
  assert.equal(begun.status, 201, begun.text);
  const address = addressOf(begun);
  const head = await world.send("HEAD", address, { headers: tus, query: { token: query.token } });
  assert.equal(head.headers.get("upload-offset"), "0");
  const last = await world.send("PATCH", address, {
    headers: { ...tus, ...bytesType, "Upload-Offset": "0" },
    query,
    body: "in url",
  });
  assert.equal(last.headers.get("octavo-file"), "t.txt", last.text);
  for (const method of ["PATCH", "DELETE", "GET"]) {
    const headers = { ...tus, ...bytesType, "Upload-Offset": "0" };
    refused(await world.send(method, address, { headers }), 401, "token_missing");
  }
});

test("only the token that began an upload finds it", async () => {
  const begun = await world.send("POST", "/api/uploads", {
    headers: {
      ...tus,
      ...pairOf(world.token.management),
      "Upload-Length": "3",
      "Upload-Metadata": metadata({ filename: "own.txt" }),
    },
  });
  const address = addressOf(begun);
  const { secret } = await world.issue("management", ["files"]);
  for (const method of ["PATCH", "DELETE", "GET"]) {
    const headers = { ...tus, ...bytesType, "Upload-Offset": "0", ...pairOf(secret) };
    refused(await world.send(method, address, { headers }), 404, "upload_not_found");
  }
  assert.equal((await world.send("HEAD", address, { headers: { ...tus, ...pairOf(secret) } })).status, 404);
});

test("a token of some paths uploads there alone, also when its paths change meanwhile", async () => {
  const { secret, id } = await world.issue("management", ["files"], { paths: ["inside"] as never });
  refused(await whole({ folder: "outside", filename: "a.txt" }, "a", pairOf(secret)), 404, "folder_not_found");
  refused(await whole({ filename: "a.txt" }, "a", pairOf(secret)), 404, "folder_not_found");
  assert.equal((await whole({ folder: "inside/deep", filename: "a.txt" }, "a", pairOf(secret))).status, 201);
  const sent = { "Upload-Length": "1", "Upload-Metadata": metadata({ folder: "inside", filename: "b.txt" }) };
  const begun = await world.send("POST", "/api/uploads", { headers: { ...tus, ...pairOf(secret), ...sent } });
  await world.app.stores.tokens.update(id, { paths: ["elsewhere"] as never }, { actor: "test", nowSeconds: 1 });
  const headers = { ...tus, ...bytesType, "Upload-Offset": "0", ...pairOf(secret) };
  refused(await world.send("PATCH", addressOf(begun), { headers, body: "b" }), 404, "folder_not_found");
});

test("a token whose writes are staged adds files, and replaces none", async () => {
  const { secret } = await world.issue("management", ["files"], { writes: "staged" });
  assert.equal((await whole({ filename: "staged.txt" }, "1", pairOf(secret))).status, 201);
  refused(await whole({ filename: "staged.txt" }, "2", pairOf(secret)), 403, "scope_missing");
});

test("names, types, fields, conflicts, events and deduplication are those of the form", async () => {
  for (const [fields, text] of [
    [{ folder: "same/a", filename: "Ünïcode  NAME.TXT", title: "T", description: "D" }, "text"],
    [{ folder: "same/a", filename: "C:\\path\\to\\file.md" }, "# md"],
    [{ folder: "same/a", filename: "no.png" }, "not a png"],
    [{ folder: "same/a", filename: "bad.exe" }, "MZ"],
    [{ folder: "same/a", filename: "empty.txt" }, ""],
    [{ folder: "same/a", filename: "empty.png" }, ""],
    [{ folder: "same/a", filename: "empty.txt", on_conflict: "fail" }, "2"],
    [{ folder: "same/a", filename: "empty.txt", on_conflict: "suffix" }, "2"],
    [{ folder: "same/a", filename: "empty.txt", on_conflict: "replace" }, "3"],
    [{ folder: "../up", filename: "a.txt" }, "3"],
    [{ folder: "same/a", filename: "a.txt", title: "x".repeat(15_000) }, "3"],
  ] as [Headers, string][]) {
    const before = (await events()).length;
    const sent = await whole(fields, text);
    const made = (await events()).slice(before);
    const other = await form({ ...fields, folder: (fields.folder as string).replace("same/a", "same/b") }, text);
    const made2 = (await events()).slice(before + made.length).map((line) => line.replace("same/b", "same/a"));
    const ofFiles = (lines: string[]) => lines.filter((line) => line.startsWith("file."));
    assert.deepEqual(ofFiles(made), ofFiles(made2), text);
    if (other.status !== 200) {
      assert.deepEqual([sent.status, sent.json.code], [other.status, other.json.code], JSON.stringify(fields));
      continue;
    }
    assert.equal(sent.status, 201, sent.text);
    const { data } = (await world.send("GET", addressOf(sent), { headers: pairOf(world.token.management) })).json as {
      data: Headers;
    };
    const expected = JSON.parse(JSON.stringify((other.json as { data: Headers }).data).replaceAll("same/b", "same/a"));
    assert.deepEqual({ ...data, uploaded_on: 0 }, { ...expected, uploaded_on: 0 });
  }
  const { ledger } = world.app.stores;
  const hash = createHash("sha256").update("text").digest("hex");
  assert.equal((await ledger.list("", 1000)).filter((row) => row.hash === hash).length, 1);
  assert.deepEqual(await world.app.stores.verify(), []);
});

test("arguments in the query, which are not read there, are refused", async () => {
  const reply = await world.send("POST", "/api/uploads", {
    headers: {
      ...tus,
      ...pairOf(world.token.management),
      "Upload-Length": "1",
      "Upload-Metadata": "filename YS50eHQ=",
    },
    query: { folder: "elsewhere" },
  });
  refused(reply, 400, "argument_unknown");
});

test("keys that are not known may have any bytes, and a path is percent-encoded in the reply", async () => {
  const known = metadata({ folder: "a b/50%/q?#ä", filename: "odd.txt" });
  const reply = await whole({}, "odd", pairOf(world.token.management), {
    "Upload-Metadata": `${known},thumbnail /9j/,x`,
  });
  assert.equal(reply.status, 201, reply.text);
  assert.equal(reply.headers.get("octavo-file"), "a%20b/50%25/q%3F%23%C3%A4/odd.txt");
  assert.equal((await world.send("GET", `/project/uploads/${reply.headers.get("octavo-file")}`)).text, "odd");
});

test("an end that is refused for a taken name can be sent again; one for its bytes is removed", async () => {
  const begin = async (fields: Headers, length: number) =>
    addressOf(
      await world.send("POST", "/api/uploads", {
        headers: {
          ...tus,
          ...pairOf(world.token.management),
          "Upload-Length": String(length),
          "Upload-Metadata": metadata(fields),
        },
      }),
    );
  const end = (address: string, body: string) =>
    world.send("PATCH", address, {
      headers: { ...tus, ...bytesType, ...pairOf(world.token.management), "Upload-Offset": "0" },
      body,
    });
  assert.equal((await whole({ filename: "taken.txt" }, "1")).status, 201);
  const taken = await begin({ filename: "taken.txt", on_conflict: "fail" }, 1);
  refused(await end(taken, "2"), 409, "file_exists");
  const headers = { ...pairOf(world.token.management) };
  assert.equal((await world.send("DELETE", "/api/files", { headers, body: { path: "taken.txt" } })).status, 204);
  assert.equal((await end(taken, "2")).headers.get("octavo-file"), "taken.txt");
  const wrong = await begin({ filename: "wrong.png" }, 4);
  refused(await end(wrong, "text"), 415, "file_type_refused");
  refused(await end(wrong, "text"), 404, "upload_not_found");
});

test("an Idempotency-Key begins one upload, which makes one file", async () => {
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const headers = pairOf(world.token.management);
  const [one, two] = [
    await whole({ filename: "once.txt", on_conflict: "suffix" }, "once", headers, key),
    await whole({ filename: "once.txt", on_conflict: "suffix" }, "once", headers, key),
  ];
  assert.deepEqual([one.status, two.status, addressOf(two)], [201, 201, addressOf(one)], two.text);
  refused(
    await whole({ filename: "once.txt", on_conflict: "suffix" }, "other", headers, key),
    422,
    "idempotency_mismatch",
  );
  const fields = { filename: "once.txt", on_conflict: "suffix" };
  refused(await whole(fields, "onde", headers, key), 422, "idempotency_mismatch");
  const more = new Blob(["once", " more"]).stream();
  const tooMany = await fetch(`${world.app.url}/api/uploads`, {
    method: "POST",
    headers: { ...tus, ...bytesType, ...headers, ...key, "Upload-Length": "4", "Upload-Metadata": metadata(fields) },
    body: more,
    duplex: "half",
  });
  assert.equal(tooMany.status, 413, await tooMany.text());
  const announced = { "Upload-Length": "4", "Upload-Metadata": metadata(fields) };
  const begin = (more: Headers) => world.send("POST", "/api/uploads", { headers: { ...tus, ...headers, ...more } });
  refused(await begin({ ...announced, ...key }), 422, "idempotency_mismatch");
  assert.equal(addressOf(await whole(fields, "once", headers, key)), addressOf(one));
  assert.equal(
    (await world.app.stores.files.content("" as Path))?.files.filter(({ name }) => name.startsWith("once")).length,
    1,
  );
  const alone = { "Idempotency-Key": crypto.randomUUID() };
  const begun = await begin({ ...announced, ...alone });
  assert.equal(addressOf(await begin({ ...announced, ...alone })), addressOf(begun));
  refused(await whole(fields, "once", headers, alone), 422, "idempotency_mismatch");
});

test("a token has at most 100 that are not finished", async () => {
  const { secret } = await world.issue("management", ["files"]);
  const begin = () =>
    world.send("POST", "/api/uploads", {
      headers: {
        ...tus,
        ...pairOf(secret),
        "Upload-Length": "5",
        "Upload-Metadata": metadata({ filename: "many.txt" }),
      },
    });
  const addresses: string[] = [];
  for (let i = 0; i < 100; i++) addresses.push(addressOf(await begin()));
  refused(await begin(), 429, "too_many_uploads");
  const headers = { ...tus, ...pairOf(secret) };
  assert.equal((await world.send("DELETE", addresses[0] as string, { headers })).status, 204);
  assert.equal((await begin()).status, 201);
  assert.equal((await whole({ filename: "others.txt" }, "may")).status, 201);
});
