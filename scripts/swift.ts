/**
 * Starts OpenStack Swift with its S3 middleware on loopback, with its data in a new folder, for tests against a second S3
 * server that checks signatures: `npm run test:s3`. It runs the given command and stops with it; without one it prints the
 * credentials and runs until Ctrl-C:
 *
 *   node scripts/swift.ts [command…]
 *
 * The command finds the server in OCTAVO_TEST_S3. Swift is Debian's: apt-get install swift-proxy swift-account
 * swift-container swift-object memcached. If it is missing, the script says so and exits with 0.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const access = { accessKey: "test:tester", secretKey: "testing" };
const storage = ["account", "container", "object"] as const;
const user = userInfo().username;
const startMs = 30_000;
const folder = join("/var/tmp", `octavo-swift-${process.pid}`);
const servers: ChildProcess[] = [];

/** Why Swift cannot be started, or undefined. */
function whyNot(): string | undefined {
  for (const name of [
    "memcached",
    "swift-ring-builder",
    "swift-proxy-server",
    ...storage.map((kind) => `swift-${kind}-server`),
  ]) {
    if (spawnSync("which", [name]).status !== 0) return `${name} is not installed`;
  }
  // Swift stores the metadata of an object in extended attributes of its file.
  const probe =
    "import os, tempfile; f = tempfile.TemporaryFile(dir='/var/tmp'); os.setxattr(f.fileno(), 'user.x', b'1')";
  const { status } = spawnSync("/usr/bin/python3", ["-c", probe]);
  return status === 0 ? undefined : "the file system of /var/tmp has no extended attributes";
}

async function start(): Promise<string> {
  for (const kind of storage) serve(kind, storageConfig(kind, await layRing(kind)));
  const [port, cachePort] = [await freePort(), await freePort()];
  launch("memcached", "-l", "127.0.0.1", "-p", String(cachePort), "-u", user);
  serve("proxy", proxyConfig(port, cachePort));
  const address = `http://127.0.0.1:${port}`;
  await answers(`${address}/healthcheck`);
  return address;
}

/** A ring with one device: everything is stored once on this disk. Answers the port of its server. */
async function layRing(kind: string): Promise<number> {
  const port = await freePort();
  mkdirSync(join(folder, "devices", "one"), { recursive: true });
  const build = (...args: string[]) =>
    execFileSync("swift-ring-builder", [`${kind}.builder`, ...args], { cwd: folder });
  build("create", "4", "1", "1");
  build(
    "add",
    "--region",
    "1",
    "--zone",
    "1",
    "--ip",
    "127.0.0.1",
    "--port",
    String(port),
    "--device",
    "one",
    "--weight",
    "1",
  );
  build("rebalance");
  return port;
}

const common = (port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
user = ${user}
swift_dir = ${folder}
devices = ${join(folder, "devices")}
mount_check = false
workers = 0
log_level = ERROR
`;

const storageConfig = (kind: string, port: number): string => `${common(port)}
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`;

const proxyConfig = (port: number, cachePort: number): string => `${common(port)}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${access.secretKey} .admin
[filter:slo]
use = egg:swift#slo
`;

function serve(kind: string, config: string): void {
  const file = join(folder, `${kind}-server.conf`);
  writeFileSync(file, config);
  launch(`swift-${kind}-server`, file);
}

function launch(program: string, ...args: string[]): void {
  servers.push(spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] }));
}

function stop(): void {
  for (const server of servers) server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function answers(address: string): Promise<void> {
  for (const startedMs = Date.now(); Date.now() - startedMs < startMs; await delay(100)) {
    const reply = await fetch(address).catch(() => undefined);
    if (reply?.ok) return;
  }
  throw new Error(`Swift did not answer within ${startMs} ms`);
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve(port));
  });
  return promise;
}

function run(name: string, args: string[]): Promise<number> {
  const env = { ...process.env, OCTAVO_TEST_S3: JSON.stringify({ endpoint, ...access }) };
  const child = spawn(name, args, { env, stdio: "inherit" });
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

const missing = whyNot();
if (missing) {
  console.log(`skipped: ${missing}`);
  process.exit(0);
}
process.on("exit", stop);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
const endpoint = await start();
const [command, ...words] = process.argv.slice(2);
if (command) process.exit(await run(command, words));
console.log(JSON.stringify({ endpoint, ...access }));
