// Long: it starts many drawing processes.
import "../env.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Problem } from "../../src/core/problem.ts";
import { RenderPool, type RenderPoolOptions } from "../../src/image/sharp/pool.ts";
import { RenderFailure } from "../../src/image/sharp/reply.ts";
import { atEnd } from "../ending.ts";
import { orLong } from "../long.ts";

/** The pool of rendering processes against a module that misbehaves. Real processes, real signals. */

const module = new URL("../fixtures/render.ts", import.meta.url);
const MiB = 1024 * 1024;
const usual: RenderPoolOptions = {
  workers: 2,
  maxQueue: 20_000,
  timeoutMs: 10_000,
  wallTimeoutMs: 60_000,
  maxMemoryBytes: 400 * MiB,
  idleMs: 60_000,
  module,
};

const warnings: Error[] = [];
process.on("warning", (warning) => warnings.push(warning));
function open(options: Partial<RenderPoolOptions> = {}): RenderPool {
  const pool = new RenderPool({ ...usual, ...options });
  atEnd(() => pool.close());
  return pool;
}

const echo = (pool: RenderPool, text = "hello") => pool.render<object, string>({ do: "echo", text });
const who = (pool: RenderPool) => pool.render<object, number>({ do: "who" });

test("askers take turns, strangers have at most half of the queue, and who has most makes room", async () => {
  const pool = open({ workers: 1, maxQueue: 8 });
  const order: string[] = [];
  const draw = (asker: string) =>
    pool.render<object, string>({ do: "echo", text: asker }, asker).then((text) => order.push(text));
  const begun = draw("first");
  const flood = Array.from({ length: 4 }, () => draw("strangers"));
  await assert.rejects(draw("strangers"), isBusy);
  const others = ["a", "b", "a", "a"].map(draw);
  const yields = assert.rejects(flood.pop() as Promise<unknown>, isBusy);
  others.push(draw("c"));
  await yields;
  await assert.rejects(draw("a"), isBusy);
  await Promise.all([begun, ...flood, ...others]);
  assert.deepEqual(order.slice(0, 7), ["first", "strangers", "a", "b", "c", "strangers", "a"]);
  await draw("strangers");
});

/** The error of a failed job. */
async function failureOf(job: Promise<unknown>): Promise<RenderFailure> {
  const error = await job.then(
    (value) => assert.fail(`it answered ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof RenderFailure, String(error));
  return error;
}

const isBusy = (error: unknown): boolean => error instanceof Problem && error.code === "busy";

/** Whether the process exists, including zombies. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(claim: () => boolean, ms = 5000): Promise<void> {
  for (const end = Date.now() + ms; !claim() && Date.now() < end; ) await delay(10);
  assert.ok(claim(), `not so after ${ms} ms: ${claim}`);
}

/** Whether it runs. Without an init process, as in some containers, an ended orphan remains a zombie. */
function isAlive(pid: number): boolean {
  if (!existsSync("/proc/self")) return isThere(pid);
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const jobs = orLong(2000, 10_000);
test(`${jobs} jobs leak no listener, no timer and no process`, async () => {
  const pool = open();
  await echo(pool);
  const pids = await Promise.all(Array.from({ length: jobs }, () => pool.render<object, number>({ do: "who" })));
  await pool.close();
  assert.ok([...new Set(pids)].every((pid) => !isThere(pid)));
  assert.deepEqual(warnings, []);
});

test("a process that fails to start fails its job", async () => {
  const { execPath } = process;
  const pool = open();
  process.execPath = "/there/is/none";
  const failing = failureOf(echo(pool));
  process.execPath = execPath;
  const { kind, detail } = await failing;
  assert.match(kind, /^(crashed|starved|unstarted)$/);
  assert.match(detail, /it could not be started|setpriv: failed to execute/);
  assert.equal(pool.stats.children, 0);
  assert.equal(await echo(pool), "hello");
});

describe("a pool of processes", { concurrency: 4 }, () => {
  test("jobs run first in, first out in one process, started by the first job", async () => {
    const pool = open({ workers: 1 });
    assert.equal(pool.stats.children, 0);
    const answers = await Promise.all(Array.from({ length: 20 }, () => pool.render<object, number>({ do: "order" })));
    assert.deepEqual(
      answers,
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    assert.deepEqual(pool.stats, { running: 0, waiting: 0, children: 1 });
    const text = `"line\nbreak"\u2028 ${"ü".repeat(200_000)}`;
    assert.equal(await echo(pool, text), text);
  });

  test("there are at most `workers` processes, and they end when idle", async () => {
    const pool = open({ workers: 2, idleMs: 1500 });
    const pids = await Promise.all([1, 2, 3, 4, 5, 6].map(() => pool.render<object, number>({ do: "sleep", ms: 60 })));
    assert.equal(new Set(pids).size, 2);
    assert.equal(pool.stats.children, 2);
    await until(() => pool.stats.children === 0);
    assert.ok(pids.every((pid) => !isThere(pid)));
    assert.equal(await echo(pool), "hello");
  });

  test("a process has a low priority in all threads, an empty environment and no other channel", async () => {
    const pool = open();
    process.env.OCTAVO_TEST_SECRET = "secret";
    const there = await pool.render<object, Record<string, unknown>>({ do: "surroundings" });
    delete process.env.OCTAVO_TEST_SECRET;
    // These two are set for it; nothing is inherited.
    const names = Object.keys(there.env as object).filter((name) => !/^(MALLOC_\w+|NODE_COMPILE_CACHE)$/.test(name));
    assert.deepEqual(names, []);
    assert.equal(there.priority, 10);
    assert.equal(there.canSend, false);
    const pid = await who(pool);
    for (const file of globSync(`/proc/${pid}/task/*/stat`)) {
      const fields = readFileSync(file, "utf8").replace(/.*\) /, "").split(" ");
      assert.equal(fields[16], "10", file);
    }
  });

  test("exclusive jobs run one after the other, shared jobs beside them", async () => {
    const pool = open({ workers: 3 });
    const ended: string[] = [];
    const note = <T>(name: string, job: Promise<T>): Promise<T> => job.finally(() => ended.push(name));
    const spread = () => note("large", pool.render<object, [number, number]>({ do: "spread", ms: 400 }));
    const large = [spread(), spread(), spread()];
    const small = Array.from({ length: 20 }, () => note("small", echo(pool)));
    const times = (await Promise.all(large)).sort(([a], [b]) => a - b);
    await Promise.all(small);
    for (const [i, [began]] of times.entries()) assert.ok(began >= (times[i - 1]?.[1] ?? 0), JSON.stringify(times));
    assert.equal(ended.at(-1), "large", ended.join(" "));
  });

  test("an exclusive job that crashes lets the next one run", async () => {
    const pool = open({ wallTimeoutMs: 500 });
    await echo(pool);
    assert.equal((await failureOf(pool.render({ do: "spread", ms: 60_000 }))).kind, "starved");
    await pool.render({ do: "spread" });
  });

  // A sleeping process gets no processor time, as on an overloaded machine.
  for (const [act, limit, expected] of [
    ["burn", { timeoutMs: 500 }, "timeout"],
    ["sleep", { wallTimeoutMs: 500 }, "starved"],
    ["ignoreSignals", { wallTimeoutMs: 500 }, "starved"],
  ] as const) {
    test(`a job past its time limit is killed (${act}: ${expected}) without effect on others`, async () => {
      const pool = open(limit);
      const others = [echo(pool, "1")];
      const failing = failureOf(pool.render({ do: act, ms: 60_000 }));
      for (let i = 2; i < 30; i++) others.push(echo(pool, String(i)));
      const { kind } = await failing;
      assert.equal(kind, expected);
      assert.equal((await Promise.all(others)).length, 29);
      assert.equal(await echo(pool), "hello");
    });
  }

  for (const act of ["hold", "holdInSync"]) {
    test(`a job past its memory limit is killed (${act}) without effect on others`, async () => {
      const pool = open({ maxMemoryBytes: 200 * MiB });
      const others = Array.from({ length: 10 }, (_, i) => echo(pool, String(i)));
      const { kind, detail } = await failureOf(pool.render({ do: act }));
      assert.equal(kind, "memory");
      assert.match(detail, /^it held \d+ bytes, more than 209715200$/);
      assert.equal((await Promise.all(others)).length, 10);
    });
  }

  test("memory reported by the process counts where it cannot be measured", async () => {
    const pool = open();
    assert.equal((await failureOf(pool.render({ do: "say", text: '{"rss":1e12}\n', ms: 5000 }))).kind, "memory");
  });

  test("a process is replaced when it holds much memory after a job, and after 500 jobs", async () => {
    const pool = open({ workers: 1 });
    const first = await who(pool);
    await pool.render({ do: "holdSome", ms: 25 });
    const second = await who(pool);
    assert.notEqual(second, first);
    const pids = await Promise.all(Array.from({ length: 510 }, () => who(pool)));
    assert.equal(pids.lastIndexOf(second), 498);
    assert.equal(new Set(pids).size, 2);
  });

  test("an error of render() is returned with code and message, and the process continues", async () => {
    const pool = open({ workers: 1 });
    const pid = await who(pool);
    const cases = [
      { act: "refuse", code: "image_unreadable", detail: /^no such picture$/ },
      { act: "throwText", code: "internal", detail: /^a text$/ },
      { act: "throwNothing", code: "internal", detail: /^undefined$/ },
      { act: "answerCircle", code: "internal", detail: /circular/ },
      { act: "unknown", code: "internal", detail: /not a function/ },
    ];
    for (const { act, code, detail } of cases) {
      const failure = await failureOf(pool.render({ do: act }));
      assert.deepEqual([failure.kind, failure.code], ["refused", code]);
      assert.match(failure.detail, detail);
    }
    assert.equal(await who(pool), pid);
  });

  const deaths = [
    { act: "abort", detail: /SIGABRT/ },
    { act: "exit", detail: /^it ended with exit code 7$/ },
    { act: "complain", detail: /exit code 1: x{1,2000} the last words$/ },
    { act: "throwElsewhere", detail: /exit code 1: [\s\S]*an unhandled error/ },
    { act: "closeChannel", detail: /closed its channel/ },
    { act: "sayWithoutEnd", detail: /no end/ },
    { act: "say", text: "garbage\n", ms: 5000, detail: /invalid reply/ },
    { act: "say", text: "null\n", ms: 5000, detail: /invalid reply/ },
    { act: "say", text: '{"id":{"__proto__":1}}\n', ms: 5000, detail: /another job/ },
    { act: "say", text: '{"cmd":"NODE_HANDLE","id":-1}\n', ms: 5000, detail: /another job/ },
  ];

  test("a crash or an invalid reply fails only the job of that process", async () => {
    const pool = open();
    const all = deaths.map(async ({ act, text, ms, detail }) => {
      const others = [echo(pool), echo(pool)];
      const failure = await failureOf(pool.render({ do: act, text, ms }));
      assert.equal(failure.kind, "crashed", act);
      assert.match(failure.detail, detail);
      assert.deepEqual(await Promise.all(others), ["hello", "hello"]);
    });
    await Promise.all(all);
    assert.equal(await echo(pool), "hello");
  });

  test("a process can neither extend its time limit nor fail any other job", async () => {
    const cases = [
      { text: '{"id":1,"isBegun":true}\n', kind: "crashed", detail: "it started twice" },
      { text: '{"id":1,"error":{"message":{"toString":1}}}\n', kind: "refused", detail: "the error has no reason" },
      { text: '{"id":1,"error":7,"rss":"much"}\n', kind: "refused", detail: "the error has no reason" },
    ];
    for (const { text, kind, detail } of cases) {
      const failure = await failureOf(open().render({ do: "say", text, ms: 5000 }));
      assert.deepEqual([failure.kind, failure.detail], [kind, detail]);
    }
  });

  test("a deferred error fails the job that caused it", async () => {
    const pool = open({ workers: 1, timeoutMs: 500 });
    const all = ["echo", "abortLater", "echo", "burnLater", "echo"].map((act) => pool.render({ do: act }));
    const kinds = (await Promise.allSettled(all)).map((result) => ("reason" in result ? result.reason.kind : "done"));
    assert.deepEqual(kinds, ["done", "crashed", "done", "timeout", "done"]);
  });

  test("a job whose process dies before it begins runs in another one", async () => {
    const pool = open({ workers: 1, timeoutMs: 500, wallTimeoutMs: 1000 });
    const abort = { do: "replyThenAbort", text: '{"id":2,"value":"early"}\n' };
    const burn = { do: "replyThenBurn", text: '{"id":4,"value":"early"}\n' };
    const all = [echo(pool), pool.render(abort), echo(pool), pool.render(burn), echo(pool)];
    assert.deepEqual(await Promise.all(all), ["hello", "early", "hello", "early", "hello"]);
  });

  test("a module that fails to load fails each job with the reason", async () => {
    const pool = open({ module: new URL("../fixtures/missing.ts", import.meta.url) });
    const failures = await Promise.all([1, 2, 3].map(() => failureOf(pool.render({}))));
    for (const { kind, detail } of failures) {
      assert.equal(kind, "unstarted");
      assert.match(detail, /ERR_MODULE_NOT_FOUND/);
    }
  });

  test("a job is refused at once when the queue is full", async () => {
    const pool = open({ workers: 1, maxQueue: 2 });
    const accepted = [pool.render({ do: "sleep", ms: 200 }), echo(pool, "2"), echo(pool, "3")];
    await assert.rejects(echo(pool), isBusy);
    assert.deepEqual(pool.stats, { running: 1, waiting: 2, children: 1 });
    await Promise.all(accepted);
    assert.equal(await echo(pool), "hello");
    const none = open({ workers: 1, maxQueue: 0 });
    const only = echo(none);
    await assert.rejects(echo(none), isBusy);
    assert.equal(await only, "hello");
  });

  test("a job that is not serialisable is refused without a process", async () => {
    const pool = open();
    await assert.rejects(pool.render({ size: 1n }), TypeError);
    assert.deepEqual(pool.stats, { running: 0, waiting: 0, children: 0 });
  });

  test("processor time is counted from the start of each job", async () => {
    const pool = open({ workers: 1, timeoutMs: 500 });
    for (let i = 0; i < 5; i++) await pool.render({ do: "burnFor", ms: 200 });
  });

  test("close refuses waiting jobs and lets running jobs finish", async () => {
    const pool = open({ workers: 1 });
    await who(pool);
    const running = pool.render<object, number>({ do: "sleep", ms: 300 });
    const waiting = assert.rejects(echo(pool), isBusy);
    const closed = Promise.all([pool.close(), pool.close()]);
    await waiting;
    await assert.rejects(echo(pool), isBusy);
    const pid = await running;
    await closed;
    assert.deepEqual(pool.stats, { running: 0, waiting: 0, children: 0 });
    assert.ok(!isThere(pid));
  });

  test("close kills jobs that run for more than two seconds", async () => {
    const pool = open({ workers: 1 });
    const pid = await who(pool);
    const running = assert.rejects(pool.render({ do: "burn" }), isBusy);
    const start = performance.now();
    await pool.close();
    await running;
    const took = performance.now() - start;
    assert.ok(took > 1900, `${took} ms`);
    assert.deepEqual(pool.stats, { running: 0, waiting: 0, children: 0 });
    assert.ok(!isThere(pid));
  });

  test("no process survives a killed parent, whether idle, asleep or busy", async (t) => {
    const file = new URL("../fixtures/render-parent.ts", import.meta.url).pathname;
    const parent = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => parent.kill("SIGKILL"));
    const [line] = await parent.stdout.setEncoding("utf8").take(1).toArray();
    const pids = JSON.parse(line) as number[];
    assert.ok(pids.length === 3 && pids.every(isThere));
    parent.kill("SIGKILL");
    await until(() => !pids.some(isAlive), 5000);
  });

  test("random jobs in random order each get their own result", async () => {
    const pool = open({ timeoutMs: 500 });
    const acts = ["echo", "exit", "echo", "abort", "refuse", "echo", "abortLater", "echo", "complain", "sayNothing"];
    const jobs = Array.from({ length: 30 }, (_, i) => ({ do: acts[(i * 7) % acts.length], text: String(i) }));
    const results = await Promise.allSettled([...jobs, { do: "burn" }].map((job) => pool.render(job)));
    for (const [i, { do: act }] of jobs.entries()) {
      const result = results[i];
      if (act === "echo") assert.deepEqual(result, { status: "fulfilled", value: String(i) });
      else assert.equal(result?.status, "rejected", act);
    }
  });
});
