// Slow: installs the package, and starts nginx and Varnish.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
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
const files = ["docs/operations.md", "docs/container.md", "docs/server.md", ...globSync("deploy/*", { cwd: root })];

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

for (const file of ["deploy/compose.yaml", "deploy/compose.cluster.yaml"]) {
  test(`${file} is valid, with valid settings and existing files`, () => {
    const { services, volumes } = composed(file);
    const front = services.balancer ?? services.octavo;
    const [inside, outside] = (front?.ports?.[0] ?? "").split(":").reverse();
    assert.equal(inside, "8080");
    for (const [name, service] of Object.entries(services)) {
      for (const other of namesOf(service.depends_on)) assert.ok(other in services, `${name} waits for ${other}`);
      for (const [source = ""] of (service.volumes ?? []).map((volume) => volume.split(":"))) {
        assert.ok(source.startsWith("./") ? existsSync(join(root, "deploy", source)) : source in volumes, source);
      }
      if (!service.build) continue;
      assert.ok(existsSync(join(root, "deploy", service.build.context, service.build.dockerfile)));
      assert.deepEqual([service.read_only, service.init], [true, true], name);
      const { publicUrl, port, shutdownSeconds } = parse(service.environment as Record<string, string>);
      assert.equal(new URL(publicUrl ?? "").port, outside);
      assert.equal(String(port), "8080");
      assert.ok(Number.parseInt(service.stop_grace_period ?? "", 10) > shutdownSeconds);
    }
  });
}

test("the proxies name the nodes of the cluster, and the image its port and folder", () => {
  const { services } = composed("deploy/compose.cluster.yaml");
  for (const config of ["deploy/haproxy.cfg", "deploy/nginx.conf"]) {
    const nodes = [...read(config).matchAll(/(octavo-\d):8080/g)].map(([, name]) => name as string);
    assert.ok(nodes.length > 0 && nodes.every((name) => name in services), config);
  }
  const image = read("deploy/Dockerfile");
  const [, folder = ""] = /^VOLUME (\S+)$/m.exec(image) ?? [];
  assert.match(image, new RegExp(`OCTAVO_DATA=${folder}$`, "m"));
  assert.deepEqual(composed("deploy/compose.yaml").services.octavo?.volumes, [`data:${folder}`]);
  assert.match(image, /^EXPOSE 8080$/m);
});

const composed = (file: string) => parseYaml(read(file)) as Compose;

type Service = {
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
  depends_on?: string[] | Record<string, unknown>;
  volumes?: string[];
  ports?: string[];
  read_only?: boolean;
  init?: boolean;
  stop_grace_period?: string;
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> };
const namesOf = (names: Service["depends_on"] = []): string[] => (Array.isArray(names) ? names : Object.keys(names));

test("systemd accepts the unit", needs("systemd-analyze"), () => {
  execFileSync("systemd-analyze", ["verify", join(root, "deploy/octavo.service")], { stdio: "pipe" });
});

test("HAProxy accepts its configuration", needs("haproxy"), () => {
  execFileSync("haproxy", ["-c", "-f", join(root, "deploy/haproxy.cfg")], { stdio: "pipe" });
});

test(
  "Prometheus scrapes the service, loads the alert rules and answers every query of the dashboard",
  needs("prometheus"),
  async (t) => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const folder = temporaryFolder();
    await startOctavo(["--demo", "--metrics-port", String(metricsPort)], { cwd: folder });
    const job = `scrape_configs: [{job_name: octavo, scrape_interval: 1s, static_configs: [{targets: ["127.0.0.1:${metricsPort}"]}]}]`;
    const config = join(folder, "prometheus.yml");
    writeFileSync(
      config,
      `global: {evaluation_interval: 1s}\nrule_files: ["${join(root, "deploy/alerts.yml")}"]\n${job}\n`,
    );
    const places = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder}/tsdb`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = spawn("prometheus", [...places, "--log.level=error"], { stdio: ["ignore", "ignore", "inherit"] });
    t.after(async () => {
      child.kill("SIGKILL");
      await once(child, "close");
    });
    const url = `http://127.0.0.1:${port}`;
    const ask = async (path: string) =>
      ((await (await fetch(url + path)).json()) as { status: string; data: Data }).data;
    const query = async (text: string) => (await ask(`/api/v1/query?query=${encodeURIComponent(text)}`)).result ?? [];
    await answering(url);
    await until(async () => (await fetch(`${url}/-/ready`)).ok, "Prometheus is not ready");
    await until(async () => (await query("octavo_build_info")).length === 1, "nothing was scraped");
    assert.equal((await query("up == 1")).length, 1);
    const rules = (await ask("/api/v1/rules")).groups?.flatMap((group) => group.rules) ?? [];
    assert.ok(rules.length > 10);
    await until(
      async () =>
        ((await ask("/api/v1/rules")).groups ?? []).every((group) =>
          group.rules.every(({ health }) => health === "ok"),
        ),
      "a rule does not evaluate",
    );
    const { panels } = JSON.parse(read("deploy/grafana.json")) as { panels: { targets: { expr: string }[] }[] };
    for (const { expr } of panels.flatMap(({ targets }) => targets)) {
      const asked = expr.replaceAll("$__rate_interval", "1m").replaceAll("$node", ".*");
      assert.equal((await fetch(`${url}/api/v1/query?query=${encodeURIComponent(asked)}`)).status, 200, expr);
    }
  },
);

type Data = { result?: unknown[]; groups?: { rules: { health: string }[] }[] };

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
  const make = async (...more: string[]): Promise<string> =>
    JSON.parse((await runOctavo(["token", "create", "--json", ...more], { cwd })).out).token;
  const tokens = {
    token: await make("--kind", "management", "--resources", "entries,admin"),
    access_token: await make("--kind", "access"),
  };
  const statuses = (): number[] =>
    running.lines.filter((line) => line.includes('"url":"/api/images/')).map((line) => JSON.parse(line).status);
  return { port: Number(new URL(running.url).port), path, statuses, tokens };
}

/** A stream of events comes through a proxy as it is written, and ends for the service when its reader leaves. */
async function followed(url: string, tokens: { token: string; access_token: string }): Promise<void> {
  const reader = new AbortController();
  const headers = { Accept: "text/event-stream", Authorization: `Bearer ${tokens.token}` };
  const stream = await fetch(`${url}/api/events`, { headers, signal: reader.signal });
  assert.equal(stream.headers.get("content-type"), "text/event-stream; charset=utf-8");
  let seen = "";
  const reading = (async () => {
    for await (const chunk of (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()))
      seen += chunk;
  })().catch(() => undefined);
  for (const id of ["live-1", "live-2"]) {
    const body = JSON.stringify({ ...tokens, id, data: {} });
    const made = await fetch(`${url}/api/entries`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    assert.equal(made.status, 200, await made.text());
    await until(() => seen.includes(`"${id}"`), `the event of ${id} does not come through`);
  }
  reader.abort();
  await reading;
}

test(
  "nginx serves ranges of images from its cache, revalidates stale ones by ETag, and streams events",
  needs("nginx"),
  async (t) => {
    const { port, path, statuses, tokens } = await startWithPicture();
    const url = await startNginx(t, [port, port]);
    await partsOfKept(url, path, statuses);
    await followed(url, tokens);
  },
);

test(
  "Varnish serves ranges of images from its cache, revalidates stale ones by ETag, and streams events",
  needs("varnishd"),
  async () => {
    const { port, path, statuses, tokens } = await startWithPicture();
    const url = await startVarnish("varnish.vcl", port);
    await partsOfKept(url, path, statuses);
    await followed(url, tokens);
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
