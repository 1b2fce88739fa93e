import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";
import { startMailServer } from "../../test/mail-server.ts";
import { personActor } from "../core/access/actor.ts";
import { parsePathBelowRoot } from "../core/path.ts";

/** Commands that are one route: what they print is theirs, not the page of the route. */

const folder = temporaryFolder();
const data = join(folder, "data");
const world = useWorld({ data });
const octavo = (...words: string[]) => runOctavo([...words, "--data", data], { cwd: folder });

const count = 130;

test("a list has the rows of all pages, and the ids of people as the log has them", async () => {
  const { id } = JSON.parse((await octavo("people", "invite", "ada@example.org", "--role", "owner", "--json")).out);
  const headers = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  const operations = Array.from({ length: count }, (_, i) => ({
    method: "POST",
    path: "/api/entries",
    body: { id: `e${i}`, data: {} },
  }));
  const made = await world.send("POST", "/api/batch", { headers, body: { operations } });
  assert.equal(made.status, 200, made.text);
  const context = { actor: personActor(id), nowSeconds: 1_800_000_000 };
  for (let i = 0; i < count; i++)
    await world.app.stores.entries.delete(parsePathBelowRoot("id", `e${i}`), { to: "trash" }, context);
  const { items } = JSON.parse((await octavo("trash", "list", "--json")).out);
  assert.deepEqual([items.length, items[0].deleted_by, items[0].deleted_by_name], [count, personActor(id), undefined]);
  assert.equal(
    (await octavo("trash", "list", "--search", "e12")).out.split("\n").length,
    13,
    "the head, e12, e120 to e129, and the end",
  );
  const page = await world.send("GET", "/api/trash", { headers });
  assert.equal((page.json.data as unknown[]).length, 100, "of the route it is a page");
});

test("people are invited without a mail, also where there is a mail server", async () => {
  const { port, received } = await startMailServer();
  const env = { OCTAVO_SMTP_URL: `smtp://127.0.0.1:${port}` };
  const words = ["people", "invite", "bob@example.org", "--role", "viewer", "--json", "--data", data];
  const { code, out, err } = await runOctavo(words, { cwd: folder, env });
  const { link, mailed } = JSON.parse(out || "{}");
  assert.deepEqual([code, err, /#code=invite-/.test(link), mailed, received], [0, "", true, undefined, []]);
});

test("a wrong argument is told by the command's own words, before a store is opened", async () => {
  const none = ["--data", join(folder, "none")];
  for (const [words, says] of [
    [["trash", "list", "--noun", "page"], /--noun was "page"/],
    [["trash", "restore", "1", "--to", "../x"], /--to was/],
    [["token", "rotate", "oct_m_secret"], /ID looks like a secret/],
    [["webhook", "resend", "id", "x"], /SEQUENCE was "x"/],
    [["release", "create", ""], /TITLE/],
    [["types", "delete", "A B"], /ID was "A B"/],
  ] as const) {
    const { code, err } = await runOctavo([...words, ...none], { cwd: folder });
    assert.deepEqual([code, says.test(err)], [2, true], err);
  }
});
