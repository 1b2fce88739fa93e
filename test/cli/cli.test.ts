// Slow: it starts a service four times.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { temporaryFolder } from "../harness.ts";
import { makeStore, runOctavo, shell, startOctavo } from "./octavo.ts";

const folder = temporaryFolder();
const data = ["--data", join(folder, "data")];
before(() => makeStore(join(folder, "data")));
const octavo = (words: string[], env: Record<string, string> = {}) => runOctavo(words, { cwd: folder, env });
const serve = (words: string[]) => startOctavo(words, { cwd: folder });

test("all invalid settings are listed at once, whatever their source", async () => {
  const file = join(folder, "bad.json");
  writeFileSync(file, JSON.stringify({ log: "loud", colour: "red" }));
  const { code, err } = await octavo(["serve", "--port", "70000", "--config", file], { OCTAVO_EVENTS_KEEP_DAYS: "x" });
  assert.equal(code, 2);
  for (const part of ["70000", "loud", "colour", "OCTAVO_EVENTS_KEEP_DAYS"])
    assert.ok(err.includes(part), `${part} in ${err}`);
});

test("with --json an error is one object on standard error, and the version is one object", async () => {
  const refused = await octavo(["registry", "get", "nowhere", "--json", ...data]);
  assert.deepEqual([refused.code, refused.out], [1, ""]);
  assert.equal(JSON.parse(refused.err).code, "registry_item_not_found");
  const wrong = await octavo(["token", "create", "--json"]);
  assert.equal(wrong.code, 2);
  assert.match(JSON.parse(wrong.err).error, /--kind/);
  const { version } = JSON.parse((await octavo(["version", "--json"])).out);
  assert.equal((await octavo(["version"])).out, `${version}\n`);
});

test("settings prints each value and its source", async () => {
  const { code, out } = await octavo(["settings", "--json"], { OCTAVO_PORT: "9001" });
  assert.equal(code, 0);
  const port = JSON.parse(out).settings.find((setting: { name: string }) => setting.name === "port");
  assert.equal(port.value, 9001);
  assert.match(port.from, /OCTAVO_PORT/);
});

test("a token's life from the command line", async () => {
  const made = JSON.parse(
    (
      await octavo([
        "token",
        "create",
        "--kind",
        "management",
        "--resources",
        "entries,admin",
        "--label",
        "x",
        "--limit-calls",
        "7",
        "--expires",
        "2w",
        "--json",
        ...data,
      ])
    ).out,
  );
  assert.match(made.token, /^oct_m_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(
    [made.kind, made.resources, made.limit_calls, made.state],
    ["management", ["entries", "admin"], 7, "enabled"],
  );
  const days = (made.expires_at - Date.now() / 1000) / 86_400;
  assert.ok(days > 13.9 && days <= 14, `${days} days`);
  const list = async () => (await octavo(["token", "list", "--json", ...data])).out;
  assert.ok(!(await list()).includes(made.token), "the output contains the secret");
  assert.equal((await octavo(["token", "disable", made.id, ...data])).code, 0);
  assert.match(await list(), /"disabled"/);
  assert.equal((await octavo(["token", "enable", made.id, ...data])).code, 0);
  const rotated = JSON.parse((await octavo(["token", "rotate", made.id, "--json", ...data])).out);
  assert.notEqual(rotated.token, made.token);
  assert.equal((await octavo(["token", "revoke", made.id, ...data])).code, 0);
  assert.ok(!(await list()).includes(made.id));
  assert.equal((await octavo(["token", "revoke", made.id, ...data])).code, 1);
});

test("registry items from the command line", async () => {
  assert.equal((await octavo(["registry", "set", "site.title", "Films", ...data])).code, 0);
  assert.equal((await octavo(["registry", "get", "site.title", ...data])).out.trim(), "Films");
  assert.match((await octavo(["registry", "list", ...data])).out, /site\.title/);
  assert.equal((await octavo(["registry", "delete", "site.title", ...data])).code, 0);
  assert.equal((await octavo(["registry", "get", "site.title", ...data])).code, 1);
});

test("verify finds no fault in an intact store", async () => {
  assert.equal((await octavo(["verify", ...data])).code, 0);
});

// ---------------------------------------------------------------------------------------------- the first run

test("the first run prints curl lines that work as pasted; the second prints no secret and keeps the data", async () => {
  const demo = ["--demo", "--data", join(folder, "demo")];
  const first = await serve(demo);
  const curls = first.lines.filter((line) => /^ +(echo \w+ \| )?curl /.test(line));
  assert.equal(curls.length, 5);
  const answers = [];
  for (const line of curls) {
    const { code, out } = await shell(`cd '${folder}' && ${line} -sS --fail`);
    assert.equal(code, 0, line);
    answers.push(line.includes(" -o ") ? undefined : JSON.parse(out).data);
  }
  assert.equal(answers[0].slug, "movies/alien");
  assert.ok(Array.isArray(answers[1]) && answers[1].length > 0);
  assert.equal(answers[2].title, "Dune");
  assert.equal(answers[3].filename, "hello.txt");
  assert.equal(readFileSync(join(folder, "solaris.webp")).toString("latin1", 8, 12), "WEBP");
  const secrets = first.lines.join("\n").match(/oct_[dmai]_[\w-]{43}/g) ?? [];
  assert.equal(new Set(secrets).size, 4);
  assert.equal(await first.stop("SIGTERM"), 0);

  const second = await serve(demo);
  assert.ok(!/oct_[dmai]_/.test(second.lines.join("\n")), "a secret is printed again");
  const again = await shell(`${(curls[0] as string).replace(first.url, second.url)} -sS`);
  assert.equal(JSON.parse(again.out).data.uuid, answers[0].uuid);
  assert.equal(await second.stop("SIGINT"), 0);
});

test("the request log has a line for each request, even a refused one, and no tokens", async () => {
  const running = await serve(["--demo", "--log", "json", "--data", join(folder, "logged")]);
  const secrets = [...new Set(running.lines.join("\n").match(/oct_[dmai]_[\w-]{43}/g) ?? [])];
  const printed = running.lines.length;
  const [token = ""] = secrets;
  for (const url of [
    `/api/entries?id=movies/alien&token=${token}`,
    `/api/entries?id=movies/alien&%74oken=${token}`,
    `/api/entries?id=${token}&token=geheim-und-falsch`,
    `/${token}`,
  ]) {
    await (await fetch(running.url + url, { headers: { "X-Access-Token": token } })).text();
  }
  await (await fetch(`${running.url}/api/entries?id=x`, { headers: { Authorization: `Bearer ${token}` } })).text();
  assert.equal(await running.stop("SIGTERM"), 0);
  const logged = running.lines.slice(printed);
  assert.deepEqual(
    logged.map((line) => JSON.parse(line).status),
    [200, 200, 401, 404, 404],
  );
  for (const secret of [...secrets, "geheim-und-falsch"])
    assert.ok(!logged.join("\n").includes(secret), "a token was logged");
});

test("a taken port is one clear line and exit code 1", async () => {
  const running = await serve(["--data", join(folder, "taken")]);
  const { code, err } = await octavo(["serve", "--port", new URL(running.url).port, ...data]);
  assert.equal(code, 1);
  assert.match(err, /port|address/i);
  assert.ok(err.trim().split("\n").length <= 2, err);
  await running.stop("SIGTERM");
});

test("a data folder that cannot be created is one clear line and exit code 1", async () => {
  const { code, err } = await octavo(["serve", "--port", "0", "--data", "/proc/octavo/data"]);
  assert.equal(code, 1);
  assert.match(err, /\/proc\/octavo/);
  assert.ok(err.trim().split("\n").length <= 2, err);
});
