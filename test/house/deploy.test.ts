// Slow: installs the package, and starts nginx and Varnish.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { parseYaml } from "@redocly/openapi-core";
import { readSettings, settingRows } from "../../src/settings.ts";
import { runOctavo, startOctavo } from "../cli/octavo.ts";
import { freePort } from "../free-port.ts";
import { temporaryFolder, until } from "../harness.ts";
import { answering, isInstalled, startVarnish } from "../varnish.ts";

/** The files of deploy/ match the code, and the programs they configure accept them, if installed. */

const root = new URL("../../", import.meta.url).pathname;
const read = (file: string): string => readFileSync(root + file, "utf8");
const files = ["docs/operations.md", ...globSync("deploy/*", { cwd: root })];

const needs = (program: string) => ({ skip: isInstalled(program) ? false : `${program} is not installed here` });

/** Lines `NAME=value` of an environment file. */
const variables = (lines: string): Record<string, string> =>
  Object.fromEntries([...lines.matchAll(/^(OCTAVO_\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]));

const parse = (env: Record<string, string>) => readSettings({ flags: {}, env, file: undefined });

test("every variable that the guide and its files name is a setting", () => {
  for (const file of files) {
    for (const [, name = ""] of read(file).matchAll(/\bOCTAVO_([A-Z0-9_]+)\b/g)) {
      assert.ok(Object.hasOwn(settingRows, name.toLowerCase()), `${file} names OCTAVO_${name}`);
    }
  }
});

test("the settings of a node are valid, in the file and in the guide, which quotes it", () => {
  const file = variables(read("deploy/node.env"));
  assert.doesNotThrow(() => parse(file));
  const [, inGuide = ""] = /```ini\n(OCTAVO_HOST[^`]+)```/.exec(read("docs/operations.md")) ?? [];
  const guide = variables(inGuide);
  assert.ok(Object.keys(guide).length > 5);
  for (const [name, value] of Object.entries(guide)) assert.equal(value, file[name], name);
});

test("the compose file is valid, with valid settings and existing files", () => {
  const { services, volumes } = parseYaml(read("deploy/compose.yaml")) as Compose;
  for (const [name, service] of Object.entries(services)) {
    for (const other of namesOf(service.depends_on)) assert.ok(other in services, `${name} waits for ${other}`);
    for (const [source = ""] of (service.volumes ?? []).map((volume) => volume.split(":"))) {
      assert.ok(source.startsWith("./") ? existsSync(join(root, "deploy", source)) : source in volumes, source);
    }
    if (!service.build) continue;
    assert.ok(existsSync(join(root, "deploy", service.build.context, service.build.dockerfile)));
    const { publicUrl } = parse(service.environment as Record<string, string>);
    assert.equal(new URL(publicUrl ?? "").port, services.balancer?.ports?.[0]?.split(":")[0]);
  }
  for (const config of ["deploy/haproxy.cfg", "deploy/nginx.conf"]) {
    const nodes = [...read(config).matchAll(/(octavo-\d):8080/g)].map(([, name]) => name as string);
    assert.ok(nodes.length > 0 && nodes.every((name) => name in services), config);
  }
});

type Service = {
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
  depends_on?: string[] | Record<string, unknown>;
  volumes?: string[];
  ports?: string[];
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> };
const namesOf = (names: Service["depends_on"] = []): string[] => (Array.isArray(names) ? names : Object.keys(names));

test("systemd accepts the unit", needs("systemd-analyze"), () => {
  execFileSync("systemd-analyze", ["verify", join(root, "deploy/octavo.service")], { stdio: "pipe" });
});

test("HAProxy accepts its configuration", needs("haproxy"), () => {
  execFileSync("haproxy", ["-c", "-f", join(root, "deploy/haproxy.cfg")], { stdio: "pipe" });
});

// ---------------------------------------------------------------------------------------------- nginx

test("nginx streams uploads, does not retry writes, and retries reads on another node", needs("nginx"), async (t) => {
  const asked: string[] = [];
  const [failing, working] = [await node(t, 503, asked, "failing"), await node(t, 200, asked, "working")];
  const url = await startNginx(t, [failing, working]);
  // Whatever node is first: with two requests, each node is first once.
  for (let i = 0; i < 2; i++) assert.equal((await fetch(`${url}/api/entries?id=a`)).status, 200);
  const body = "x".repeat(3_000_000);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    asked.length = 0;
    const reply = await fetch(`${url}/api/entries`, { method, body });
    assert.equal(asked.length, 1, `${method} was sent to ${asked}`);
    assert.equal(reply.status, asked[0]?.startsWith("working") ? 200 : 503);
    assert.match(asked[0] ?? "", new RegExp(`${method} ${body.length}$`));
  }
});

/** A service with a max-age of a second for images, and an image that shared caches may store. */
async function startWithPicture() {
  const cwd = temporaryFolder();
  const words = ["--demo", "--log", "json", "--image-max-age-seconds", "1"];
  const running = await startOctavo(words, { cwd });
  const { out } = await runOctavo(["sign", "movies/solaris.jpg", "--args", "w=300&fm=png"], { cwd });
  const path = out.trim();
  const statuses = (): number[] =>
    running.lines
      .filter((line) => line.startsWith("{") && line.includes("/api/images/"))
      .map((line) => JSON.parse(line).status);
  return { port: Number(new URL(running.url).port), path, statuses };
}

test("nginx serves ranges of images from its cache, and revalidates stale ones by ETag", needs("nginx"), async (t) => {
  const { port, path, statuses } = await startWithPicture();
  await partsOfKept(await startNginx(t, [port, port]), path, statuses);
});

test(
  "Varnish serves ranges of images from its cache, and revalidates stale ones by ETag",
  needs("varnishd"),
  async () => {
    const { port, path, statuses } = await startWithPicture();
    await partsOfKept(await startVarnish("varnish.vcl", port), path, statuses);
  },
);

async function partsOfKept(url: string, path: string, statuses: () => number[]): Promise<void> {
  const part = async () => {
    const reply = await fetch(url + path, { headers: { Range: "bytes=1-3" } });
    assert.deepEqual([reply.status, await reply.text()], [206, "PNG"]);
  };
  await part();
  await until(() => statuses().length === 1, "no request reached the node");
  await part();
  assert.deepEqual(statuses(), [200], "one request reached the node");
  // A stale image is revalidated by its ETag.
  const nextAsked = async () => {
    await part();
    return statuses().length > 1;
  };
  await until(nextAsked, "the stale image was not revalidated");
  assert.equal(statuses()[1], 304);
  await part();
}

/** A node that gives the same reply to every request and records them. */
async function node(t: TestContext, status: number, asked: string[], name: string): Promise<number> {
  const server: Server = createServer(async (request: IncomingMessage, response) => {
    const { length } = await text(request);
    asked.push(`${name} ${request.method} ${length}`);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** nginx with the file as it is, except ports and writable folders. */
async function startNginx(t: TestContext, ports: number[]): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "tmp"));
  const port = await freePort();
  const servers = read("deploy/nginx.conf")
    .replace("/var/cache/nginx/octavo", `${folder}/cache`)
    .replace("listen 8080", `listen 127.0.0.1:${port}`)
    .replace(/octavo-(\d):8080/g, (_, number) => `127.0.0.1:${ports[Number(number) - 1]}`);
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((n) => `${n}_temp_path ${folder}/tmp/${n};`);
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    `${process.getuid?.() === 0 ? "user root; " : ""}daemon off; pid ${folder}/pid; error_log stderr crit; events {} http { ${places.join(" ")}\n${servers} }`,
  );
  execFileSync("nginx", ["-t", "-c", config, "-p", folder], { stdio: "pipe" });
  const child: ChildProcess = spawn("nginx", ["-c", config, "-p", folder], { stdio: ["ignore", "ignore", "inherit"] });
  t.after(() => child.kill());
  return answering(`http://127.0.0.1:${port}`);
}
