// Slow: it starts many processes, each of which opens a store.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { beginOctavo, makeStore, type Running, runOctavo, saidIn, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, until } from "../../test/harness.ts";

const folder = temporaryFolder();
const octavo = (words: string[]) => runOctavo(words, { cwd: folder });

async function makeToken(data: string, kind: string, more: string[] = []): Promise<string> {
  const { out } = await octavo(["token", "create", "--kind", kind, "--json", "--data", data, ...more]);
  return (JSON.parse(out) as { token: string }).token;
}

const all = ["--resources", "entries,files,folders,admin"];

async function startTeam(
  name: string,
  cwd = folder,
): Promise<{ running: Running; data: string; management: string; access: string }> {
  const data = join(folder, name);
  await makeStore(data);
  const management = await makeToken(data, "management", all);
  const access = await makeToken(data, "access");
  const running = await startOctavo(["--workers", "2", "--data", data], { cwd });
  return { running, data, management, access };
}

/** A file of settings may be written here, which workers that start from then on read. */
const teamFolder = join(folder, "team-cwd");
mkdirSync(teamFolder);
/** The team of most tests, each of which leaves two workers: a start takes a second of three processes. */
const team = await startTeam("team", teamFolder);

/** Fulfils when both workers listen, one of which leads. */
const isWhole = () =>
  until(() => {
    const { pid, url } = team.running;
    const workers = childrenOf(pid).filter((child) => listens(child, url));
    return workers.length === 2 && workers.filter(leads).length === 1;
  }, "a worker is missing");

test("a retired setting has no effect, which is said once for all processes", async () => {
  const cwd = join(folder, "retired");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "octavo.json"), '{"list_cache_bytes": "8MiB", "workers": 2}');
  const { errors } = await startOctavo(["--list-cache-bytes", "none"], { cwd, env: { OCTAVO_LIST_CACHE_BYTES: "0" } });
  const told = errors.filter((line) => line.includes("list_cache_bytes"));
  assert.deepEqual(told, [
    "octavo: warning: list_cache_bytes (--list-cache-bytes, OCTAVO_LIST_CACHE_BYTES, octavo.json) has no effect any more: " +
      "replies of lists are no longer kept",
  ]);
});

test("variables of other programs are named once for all processes, without their values", async () => {
  const cwd = join(folder, "foreign");
  mkdirSync(cwd);
  const env = { OCTAVO_SITE_SECRET: "hunter2", OCTAVO_TOKEN: "hunter2", OCTAVO_WORKERS: "2" };
  const { errors } = await startOctavo([], { cwd, env });
  assert.deepEqual(
    errors.filter((line) => /SITE_SECRET|hunter2/.test(line)),
    ["octavo: warning: OCTAVO_SITE_SECRET: no setting of Octavo, passed over"],
  );
});

test("/metrics has the figures of all processes, whichever is asked", async () => {
  const { running, management } = team;
  const scrape = async (): Promise<string> => {
    const reply = await ask(`${running.url}/metrics`, { headers: { Authorization: `Bearer ${management}` } });
    return reply.text();
  };
  // The first figures may come late.
  await until(async () => (await scrape()).includes("\noctavo_processes 2\n"), "one process is missing");
  for (let i = 0; i < 6; i++) assert.match(await scrape(), /^octavo_processes 2$/m);
});

/** Each on a new connection; the processes accept them in turn. */
const ask = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { ...init.headers, Connection: "close" } });

const childrenOf = (pid: number): number[] =>
  // The exit code only tells whether there are any.
  spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line.trim() !== "")
    .map(Number)
    // ps itself is a child of this process, not of the primary.
    .filter((child) => existsSync(`/proc/${child}`));

function isOf(pid: number, role: 0 | 1): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`WORKER_LEADS=${role}`);
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
const leads = (pid: number): boolean => isOf(pid, 1);

/** Whether the process has the socket that listens on the URL's port. */
function listens(pid: number, url: string): boolean {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n");
  const inode = rows
    .find((row) => row.includes(`:${port} 00000000:0000 0A`))
    ?.trim()
    .split(/\s+/)[9];
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => readlinkSync(join(folder, fd)) === `socket:[${inode}]`);
  } catch {
    // The file or process ended after it was listed.
    return false;
  }
}

async function upload({ running, management, access }: Awaited<ReturnType<typeof startTeam>>, name: string) {
  const form = new FormData();
  for (const [key, value] of Object.entries({ token: management, access_token: access, folder: "notes" })) {
    form.append(key, value);
  }
  form.append("file", new Blob([`text of ${name}`]), name);
  return ask(`${running.url}/api/files`, { method: "POST", body: form });
}

test("two workers answer as one: a write is visible to the other at once, and the tree shows every upload", async () => {
  const { running, data, management, access } = team;
  for (let i = 0; i < 20; i++) {
    const body = JSON.stringify({ token: management, access_token: access, id: `e/${i}`, data: { i } });
    const headers = { "Content-Type": "application/json" };
    assert.equal((await ask(`${running.url}/api/entries`, { method: "POST", headers, body })).status, 200);
    assert.equal((await ask(`${running.url}/api/entries?id=e/${i}&token=${management}`)).status, 200);
    assert.equal((await upload(team, `${i}.txt`)).status, 200);
    assert.equal(readFileSync(join(data, "uploads", "notes", `${i}.txt`), "utf8"), `text of ${i}.txt`);
  }
});

test("a call limit is exact across the workers, and a revoked token is invalid on both at once", async () => {
  const { running, data, management, access } = team;
  const limited = await makeToken(data, "delivery", ["--resources", "entries", "--limit-calls", "40"]);
  const statuses = await Promise.all(
    Array.from({ length: 90 }, async () => (await ask(`${running.url}/api/entries?id=none&token=${limited}`)).status),
  );
  assert.equal(statuses.filter((status) => status === 404).length, 40);
  const { data: tokens } = (await (await ask(`${running.url}/api/tokens?token=${management}`)).json()) as {
    data: { id: string; kind: string }[];
  };
  const open = await makeToken(data, "delivery", ["--resources", "entries"]);
  assert.equal((await ask(`${running.url}/api/entries?id=none&token=${open}`)).status, 404);
  const listed = (await (await ask(`${running.url}/api/tokens?token=${management}`)).json()) as typeof tokens & {
    data: { id: string }[];
  };
  const made = listed.data.find(({ id }) => !tokens.some((token) => token.id === id));
  const query = `id=${made?.id}&token=${management}&access_token=${access}`;
  assert.equal((await ask(`${running.url}/api/tokens?${query}`, { method: "DELETE" })).status, 204);
  for (let i = 0; i < 6; i++) {
    assert.equal((await ask(`${running.url}/api/entries?id=none&token=${open}`)).status, 401);
  }
});

test("a session is valid on both workers, and after signing out on neither", async () => {
  const { running, management, access } = team;
  const body = JSON.stringify({ token: management, access_token: access });
  const url = `${running.url}/admin/session`;
  const started = await ask(url, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const { csrf_token: csrf } = ((await started.json()) as { data: { csrf_token: string } }).data;
  const cookie = started.headers.get("set-cookie")?.split(";", 1)[0] as string;
  const headers = { cookie, "X-CSRF-Token": csrf };
  const statuses = async () => {
    const found = new Set<number>();
    for (let i = 0; i < 8; i++) found.add((await ask(`${running.url}/api/stats`, { headers })).status);
    return [...found];
  };
  assert.deepEqual(await statuses(), [200]);
  assert.equal((await ask(url, { method: "DELETE", headers })).status, 204);
  assert.deepEqual(await statuses(), [401]);
});

test("a killed worker is replaced, even the leader, while the others continue", {
  timeout: 60_000,
}, async () => {
  await isWhole();
  const { running, data, management } = team;
  for (const isLeader of [false, true]) {
    const victim = childrenOf(running.pid).find((pid) => leads(pid) === isLeader) as number;
    process.kill(victim, "SIGKILL");
    let refused = 0;
    for (let i = 0; i < 30; i++) {
      const status = await ask(`${running.url}/api/entries?id=none&token=${management}`).then(
        (reply) => reply.status,
        () => 0,
      );
      if (status !== 404) refused++;
      await sleep(50);
    }
    assert.ok(refused <= 3, `${refused} of 30 requests failed`);
    // Only once it listens: with both workers gone, the port would be closed.
    const isReplaced = () =>
      childrenOf(running.pid).some((pid) => leads(pid) === isLeader && listens(pid, running.url));
    await until(isReplaced, "not replaced");
    assert.equal((await upload(team, `${isLeader}.txt`)).status, 200);
  }
  await until(() => existsSync(join(data, "uploads", "notes", "true.txt")), "no worker maintains the tree");
});

test("a leader that dies during a question does not affect the other workers", { timeout: 60_000 }, async () => {
  await isWhole();
  const { running, data } = team;
  // The primary sees the closed channel of the leader and the other worker's question before the exit event.
  running.signal("SIGSTOP");
  process.kill(childrenOf(running.pid).find(leads) as number, "SIGKILL");
  assert.equal((await upload(team, "meanwhile.txt")).status, 200);
  running.signal("SIGCONT");
  await until(() => existsSync(join(data, "uploads", "notes", "meanwhile.txt")), "no leader maintains the tree");
});

test("a replacement that cannot start is retried until it can, while the others continue, and all end at last", {
  timeout: 60_000,
}, async () => {
  await isWhole();
  const { running, data, management } = team;
  const file = join(teamFolder, "octavo.json");
  writeFileSync(file, '{"no_setting": 1}');
  const victim = childrenOf(running.pid).find(leads) as number;
  const others = new Set(childrenOf(running.pid));
  process.kill(victim, "SIGKILL");
  // Two have started in turn, so the first has ended.
  await until(() => {
    for (const pid of childrenOf(running.pid)) others.add(pid);
    return others.size >= 4;
  }, "not tried again");
  assert.equal((await ask(`${running.url}/api/entries?id=none&token=${management}`)).status, 404);
  assert.equal((await upload(team, "late.txt")).status, 200);
  rmSync(file);
  await until(() => existsSync(join(data, "uploads", "notes", "late.txt")), "no leader maintains the tree");
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("a sign-in link works once, whichever worker receives it", async (t) => {
  const running = await startOctavo(["--workers", "2", "--data", join(folder, "link")], { cwd: folder });
  const code = /#code=(\S+)/.exec(running.lines.join("\n"))?.[1];
  const leader = childrenOf(running.pid).find(leads) as number;
  // Only the other worker can accept this connection and its requests.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  process.kill(leader, "SIGSTOP");
  try {
    assert.equal(await statusOn(agent, "GET", `${running.url}/health/live`), 200);
  } finally {
    // A stopped process would outlive the primary.
    process.kill(leader, "SIGCONT");
  }
  const redeem = () => statusOn(agent, "POST", `${running.url}/admin/session/link`, JSON.stringify({ code }));
  assert.deepEqual([await redeem(), await redeem()], [200, 401]);
  assert.equal(await running.stop("SIGTERM"), 0);
});

function statusOn(agent: Agent, method: string, url: string, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    request(url, { agent, method, headers }, (reply) => {
      reply.resume().on("end", () => resolve(reply.statusCode as number));
    })
      .on("error", reject)
      .end(body);
  });
}

const beginTeam = (name: string) =>
  beginOctavo(["serve", "--workers", "2", "--port", "0", "--log", "off", "--data", join(folder, name)], {
    cwd: folder,
  });

test("a worker killed during the start is replaced and reported", {
  timeout: 60_000,
}, async () => {
  const { pid, output, ended, stop } = beginTeam("killed-at-start");
  for (const role of [1, 0] as const) {
    let found: number | undefined;
    const find = () => {
      found = childrenOf(pid).find((child) => isOf(child, role));
      return found !== undefined;
    };
    await until(find, "no worker is started");
    process.kill(found as unknown as number, "SIGKILL");
    assert.equal(output.out, "", "it has not started");
  }
  await until(() => / answers on http:/.test(output.out), "it does not start");
  assert.deepEqual(
    saidIn(output.err).split("\n"),
    Array(2).fill("warn: a worker was killed by SIGKILL; another one is started"),
  );
  assert.equal(output.out.match(/answers on/g)?.length, 1);
  const url = / answers on (http:\S+)/.exec(output.out)?.[1];
  assert.equal((await ask(`${url}/health/ready`)).status, 200);
  assert.equal(childrenOf(pid).length, 2);
  stop();
  assert.equal(await ended, 0);
});

/** Ignores processes that have ended already. */
function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ESRCH");
  }
}

test("workers killed repeatedly during the start end the service with the reason and exit code 1", {
  timeout: 60_000,
}, async () => {
  const { pid, output, ended } = beginTeam("killed-on-and-on");
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const child of childrenOf(pid)) killed(child);
    await sleep(20);
  }
  assert.equal(await ended, 1);
  assert.match(saidIn(output.err), /error: a worker was killed by SIGKILL while the service started; it ends$/);
});

test("when the primary is killed the workers end, too", async () => {
  const { running } = await startTeam("orphans");
  const workers = childrenOf(running.pid);
  assert.equal(workers.length, 2);
  await running.stop("SIGKILL");
  await until(() => !workers.some((pid) => existsSync(`/proc/${pid}`)), "a worker lives on");
});

test("a start that fails ends with the reason and exit code 1", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const data = join(folder, "taken");
  const { code, err } = await octavo(["serve", "--workers", "2", "--port", String(port), "--data", data]);
  assert.equal(code, 1);
  assert.match(
    err,
    new RegExp(
      `^octavo: port ${port} of 127\\.0\\.0\\.1 is in use; .*\n.*"error","message":"a worker ended with exit code 1`,
    ),
  );
});
