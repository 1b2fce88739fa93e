import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { Upload } from "tus-js-client";
import { OctavoProblem } from "../../client/src/client.ts";
import { ResumableUpload } from "../../client/src/resumable.ts";
import { atEnd } from "../ending.ts";
import { useWorld } from "../harness.ts";

/** Uploads that go on, by the project's client and by strangers, behind a proxy with a prefix whose connections break. */

const world = useWorld();
/** Of the next requests: after how many bytes of its body the connection breaks. */
const cuts: number[] = [];
let base = "";
const prefix = "/cms/v1";

/** Sends each request on without its prefix. */
function startProxy(target: URL): Server {
  return createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    if (!url.startsWith(prefix)) return void outgoing.writeHead(404).end();
    const path = url.slice(prefix.length);
    const sent = request({ host: target.hostname, port: target.port, path, method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 500, reply.rawHeaders);
      reply.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    let left = method === "PATCH" ? (cuts.shift() ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    incoming.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      sent.write(chunk);
      if (left > 0) return;
      incoming.socket.destroy();
      sent.destroy();
    });
    incoming.on("end", () => sent.end());
  });
}

before(async () => {
  await world.ready;
  const proxy = startProxy(new URL(world.app.url));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  atEnd(() => new Promise<void>((resolve) => proxy.close(() => resolve()).closeAllConnections()));
  base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`;
});

const bytes = Buffer.from(randomBytes(3_000_000).toString("base64"));
const headers = () => ({ Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access });
const stored = async (path: string) =>
  Buffer.from(await (await fetch(`${world.app.url}/project/uploads/${path}`)).arrayBuffer());

test("tus-js-client goes on after broken connections, and learns the file", async () => {
  cuts.push(1_000_000, 500_000, 1);
  const path = await new Promise<string | undefined>((resolve, reject) =>
    new Upload(bytes, {
      endpoint: `${base}/api/uploads`,
      headers: headers(),
      metadata: { folder: "tus", filename: "Größe & Co.txt", filetype: "text/plain" },
      retryDelays: [10, 50, 100, 500, 1000, 2000, 2000, 2000],
      onError: reject,
      onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader("Octavo-File")),
    }).start(),
  );
  assert.equal(cuts.length, 0);
  assert.equal(path, "tus/groesse-co.txt");
  assert.ok((await stored("tus/groesse-co.txt")).equals(bytes));
});

test("tus-js-client sends 0 bytes, and bytes with the creation, and ends an upload", async () => {
  for (const [name, sent] of [
    ["none.txt", Buffer.alloc(0)],
    ["some.txt", Buffer.from("some")],
  ] as const) {
    await new Promise<void>((resolve, reject) =>
      new Upload(sent, {
        endpoint: `${base}/api/uploads`,
        ...{ headers: headers(), metadata: { filename: name }, uploadDataDuringCreation: true, retryDelays: [] },
        ...{ onError: reject, onSuccess: () => resolve() },
      }).start(),
    );
    assert.deepEqual(await stored(name), sent);
  }
  const upload = new Upload(bytes, {
    ...{ endpoint: `${base}/api/uploads`, headers: headers(), metadata: { filename: "ended.txt" } },
    ...{ chunkSize: 100_000, retryDelays: [] },
  });
  await new Promise<void>((resolve) => {
    upload.options.onChunkComplete = () => resolve();
    upload.start();
  });
  await upload.abort(true);
  const looked = await fetch(upload.url as string, {
    method: "HEAD",
    headers: { ...headers(), "Tus-Resumable": "1.0.0" },
  });
  assert.equal(looked.status, 404);
});

test("Uppy uploads with its defaults", async () => {
  cuts.push(700_000);
  // Their types would bring those of a browser into all tests.
  const [{ default: Uppy }, { default: Tus }] = await Promise.all(
    ["@uppy/core", "@uppy/tus"].map((name) => import(name)),
  );
  const uppy = new Uppy({ autoProceed: false });
  uppy.use(Tus, { endpoint: `${base}/api/uploads`, headers: headers(), retryDelays: [10, 100, 1000, 2000, 2000] });
  uppy.setMeta({ folder: "uppy" });
  uppy.addFile({ name: "From Uppy.txt", type: "text/plain", data: bytes, size: bytes.length });
  const result = await uppy.upload();
  assert.deepEqual(result?.failed, []);
  assert.ok((await stored("uppy/from-uppy.txt")).equals(bytes));
  uppy.destroy();
});

const config = () => ({ url: base, token: world.token.management, accessToken: world.token.access });

test("ResumableUpload goes on after broken connections, and answers the file", async () => {
  cuts.push(10, 300_000, 200_000);
  const told: number[] = [];
  const upload = new ResumableUpload(config(), "own", new Blob([bytes]), {
    ...{ name: "Own.txt", title: "Ä", description: "D", store: null },
    onProgress: ({ loaded, total }) => told.push(loaded / total),
  });
  const file = await upload.send();
  assert.deepEqual([file.filename, file.title, file.description, file.filesize], ["own.txt", "Ä", "D", bytes.length]);
  assert.ok((await stored("own/own.txt")).equals(bytes));
  assert.deepEqual([told[0], told.at(-1)], [0, 1]);
  assert.deepEqual([...told].sort(), told);
});

test("ResumableUpload pauses, and another one of the same file goes on where it was", async () => {
  const texts = new Map<string, string>();
  const store = {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
    removeItem: (key: string) => void texts.delete(key),
  };
  const file = new File([bytes], "paused.txt", { lastModified: 1 });
  const told: number[] = [];
  const first = new ResumableUpload(config(), "", file, {
    store,
    onProgress: ({ loaded }) => loaded > 0 && first.pause(),
  });
  await assert.rejects(first.send(), { name: "AbortError" });
  assert.equal(texts.size, 1);
  const second = new ResumableUpload(config(), "", file, { store, onProgress: ({ loaded }) => told.push(loaded) });
  assert.ok(second.hasBegun);
  assert.equal((await second.send()).filename, "paused.txt");
  assert.ok((told[0] ?? 0) > 0);
  assert.equal(texts.size, 0);
  assert.ok((await stored("paused.txt")).equals(bytes));
});

test("ResumableUpload begins anew where the upload is gone, and tells what the service refuses", async () => {
  const store = { getItem: () => crypto.randomUUID(), setItem: () => undefined, removeItem: () => undefined };
  const gone = new ResumableUpload(config(), "", new Blob(["gone"]), { name: "gone.txt", store });
  assert.equal((await gone.send()).filename, "gone.txt");
  const problems: string[] = [];
  const refused = new ResumableUpload(
    { ...config(), onProblem: ({ code }) => problems.push(code) },
    "",
    new Blob(["MZ"]),
    { name: "a.exe" },
  );
  await assert.rejects(refused.send(), (error) => error instanceof OctavoProblem && error.code === "file_type_refused");
  assert.deepEqual(problems, ["file_type_refused"]);
  const cancelled = new ResumableUpload(config(), "", new Blob([bytes]), {
    ...{ name: "cancelled.txt", store: null },
    onProgress: ({ loaded }) => loaded > 0 && cancelled.pause(),
  });
  await assert.rejects(cancelled.send(), { name: "AbortError" });
  await cancelled.cancel();
  assert.equal(cancelled.hasBegun, false);
  assert.equal(
    (await world.send("GET", "/api/files", { query: { path: "cancelled.txt", token: world.token.management } })).status,
    404,
  );
});
