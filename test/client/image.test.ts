import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import sharp from "sharp";
import { createClient, type StoredFile } from "../../client/src/client.ts";
import { signUrl } from "../../client/src/sign.ts";
import { modifierRows } from "../../src/image/modifier.ts";
import { runOctavo } from "../cli/octavo.ts";
import { temporaryFolder } from "../harness.ts";
import { useClients } from "./service.ts";
import { imageSamples } from "./types.ts";

const clients = useClients({ "uploads-private": "on", "image-presets": "small:w=60;round:fit=crop" });
const path = "Möwen & co/the sea (1).jpg";
let picture: StoredFile;
let key: string;

before(async () => {
  await clients.world.ready;
  key = clients.world.app.stores.signingKey;
  const bytes = new Uint8Array(readFileSync(new URL("../../assets/demo/uploads/movies/solaris.jpg", import.meta.url)));
  const { files } = clients.manager;
  await files.upload("Möwen & co", new File([bytes], "sea.jpg"));
  picture = await files.move("Möwen & co/sea.jpg", path);
});

async function sizeOf(url: string): Promise<[width?: number, height?: number, format?: string]> {
  const response = await fetch(url);
  assert.equal(response.status, 200, await response.clone().text());
  const { width, height, format } = await sharp(await response.arrayBuffer()).metadata();
  return [width, height, format];
}

test("the types have the image arguments of the service", () => {
  const own = modifierRows.map(({ name }) => name as string);
  assert.deepEqual(Object.keys(imageSamples).sort(), [...own, "strict", "v"].sort());
});

for (const { name, parse } of modifierRows) {
  test(`the service accepts every value that the types allow for ${name}`, () => {
    for (const sample of imageSamples[name]) assert.notEqual(parse(String(sample)), undefined, String(sample));
  });
}

test("an image URL answers the image in its size, in strict mode too", async () => {
  const { imageUrl } = clients.manager;
  assert.deepEqual(await sizeOf(imageUrl(path, { w: 90, h: 60, fit: "crop-20-80", fm: "webp", strict: 1 })), [
    90,
    60,
    "webp",
  ]);
  const framed = imageUrl(path, { crop: [320, 200, 0, 0], w: 80, border: [5, "gold", "expand"], strict: 1 });
  assert.deepEqual(await sizeOf(framed), [90, 60, "jpeg"]);
  assert.deepEqual(await sizeOf(imageUrl(path, { p: ["small", "round"], h: 50, interlace: true, strict: 1 })), [
    60,
    50,
    "jpeg",
  ]);
  assert.deepEqual((await sizeOf(imageUrl(path)))[2], "jpeg");
});

test("the URL of a file object has its version and is immutable for caches", async () => {
  const url = clients.manager.imageUrl(picture, { w: 100 });
  assert.ok(url.includes(`v=${picture.version}`));
  assert.match((await fetch(url)).headers.get("cache-control") ?? "", /immutable/);
  assert.ok(clients.manager.imageUrl(picture, { v: "other" }).includes("v=other"));
});

test("an image URL has a token when the client has one", async () => {
  const url = clients.visitor.imageUrl("a.jpg", { w: 1 });
  assert.equal(url, `${clients.world.app.url}/api/images/a.jpg?w=1`);
  assert.equal(createClient({ url: "", imagesToken: "x y" }).imageUrl("a.jpg"), "/api/images/a.jpg?token=x%20y");
});

test("a srcset has every width, with one aspect ratio when a ratio is given", async () => {
  const set = clients.manager.srcset(picture, { widths: [60, 120], ratio: 3 / 2, fit: "crop", crop: [300, 300, 0, 0] });
  const candidates = set.split(", ").map((candidate) => candidate.split(" "));
  assert.deepEqual(
    candidates.map(([, width]) => width),
    ["60w", "120w"],
  );
  assert.deepEqual(await sizeOf(candidates[0]?.[0] ?? ""), [60, 40, "jpeg"]);
  assert.deepEqual(await sizeOf(candidates[1]?.[0] ?? ""), [120, 80, "jpeg"]);
  const free = clients.manager.srcset(path, { widths: [100], fm: "png" }).split(" ")[0];
  assert.deepEqual((await sizeOf(free ?? "")).slice(2), ["png"]);
});

test("a signed URL opens without a token, and only that URL", async () => {
  const { imageUrl } = clients.manager;
  const url = await signUrl(imageUrl(path, { w: 90, border: "5,(x)" as never }), { key });
  assert.ok(!url.includes("token="));
  assert.equal((await sizeOf(url))[0], 90);
  assert.equal((await fetch(url.replace("w=90", "w=91"))).status, 403);
  assert.equal((await fetch(await signUrl(imageUrl(path), { key: "another" }))).status, 403);
  const soon = await signUrl(imageUrl(path, { w: 90 }), { key, expires: new Date(Date.now() + 60_000) });
  assert.equal((await fetch(soon)).status, 200);
  const over = await signUrl(imageUrl(path, { w: 90 }), { key, expires: new Date(Date.now() - 60_000) });
  assert.equal((await fetch(over)).status, 403);
});

test("a private file opens with a signed URL only", async () => {
  const url = clients.manager.fileUrl(path);
  assert.equal((await fetch(url)).status, 401);
  assert.equal((await fetch(await signUrl(url, { key }))).status, 200);
});

test("a signature equals that of octavo sign", async () => {
  const url = clients.visitor.imageUrl(path, { w: 90, fm: "webp", crop: [9, 9, 0, 0], mark: "a'b(c)*!.png" });
  const words = [
    "sign",
    path,
    "--args",
    "w=90&fm=webp&crop=9,9,0,0&mark=a'b(c)*!.png",
    "--expires",
    "2040-01-01",
    "--json",
  ];
  const { out } = await runOctavo(words, { cwd: temporaryFolder(), env: { OCTAVO_SIGNING_KEY: key } });
  const signed = await signUrl(url, { key, expires: new Date("2040-01-01T00:00:00Z") });
  const signatureOf = (address: string) => new URL(address, clients.world.app.url).searchParams.get("s");
  assert.equal(signatureOf(signed), signatureOf(JSON.parse(out).url));
});
