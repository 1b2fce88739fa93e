import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { runOctavo, startOctavo } from "./octavo.ts";

/** The package that `npm run package` makes, installed where there is nothing else of this checkout. */

const root = new URL("../../", import.meta.url).pathname;

/** Lays the package down as npm does; the packages that it names, and no others, are the checkout's. */
function install(file: string): { cwd: string; program: string } {
  const cwd = temporaryFolder();
  const modules = join(cwd, "node_modules");
  const octavo = join(modules, "octavo");
  mkdirSync(octavo, { recursive: true });
  execFileSync("tar", ["xzf", file, "-C", octavo, "--strip-components=1"]);
  const { dependencies, bin } = JSON.parse(readFileSync(join(octavo, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  return { cwd, program: join(octavo, bin.octavo) };
}

test("the package serves entries, images, the admin page and the guides, and checks its store", async () => {
  const out = execFileSync("npm", ["run", "--silent", "package"], { cwd: root, encoding: "utf8" });
  const installed = install(join(root, out.trim().split("\n").at(-1) ?? ""));
  assert.deepEqual(globSync("node_modules/octavo/**/*.ts", { cwd: installed.cwd }), []);
  const service = await startOctavo(["--demo"], installed);
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
