/** People: invitations, signing in, roles on every kind of route. Contract, part three, §19. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atEnd } from "../ending.ts";
import { freshAddress, type Reply } from "./client.ts";
import { plantFile, png } from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused } from "./world.ts";

const world = await enter("person");
const id = (name: string): string => world.id(name);
const password = "a quiet harbour at noon";

type Session = { headers: Record<string, string>; person: Any; email: string };

let people = 0;
const emailOf = (name: string): string => `${name}-${++people}.${world.prefix}@example.org`;

const invite = async (role: string, email = emailOf(role)): Promise<Any> => {
  const made = dataOf(await world.write("POST", { email, role }, "/api/people"));
  atEnd(() => world.write("DELETE", { id: made.id }, "/api/people"));
  return made;
};
const codeOf = ({ link }: Any): string => new URL(link).hash.replace("#code=", "");

function sessionOf(reply: Reply, email: string): Session {
  const { csrf_token, person } = dataOf(reply);
  const [cookie = ""] = reply.headers["set-cookie"] ?? [];
  return { headers: { Cookie: cookie.split(";", 1)[0] as string, "X-CSRF-Token": csrf_token }, person, email };
}

const join = (code: string, form: object = { name: "Ada", password }) =>
  world.send({ method: "POST", path: "/admin/session/link", json: { code, ...form } });
const signIn = (email: string, secret: string, uniqueAddress = false) =>
  world.send({ method: "POST", path: "/admin/session", json: { email, password: secret }, uniqueAddress });

async function signedIn(role: string): Promise<Session> {
  const invited = await invite(role);
  return sessionOf(await join(codeOf(invited)), invited.email);
}

const get = ({ headers }: Session, path: string, query = {}) => world.send({ path, query, headers });
const send = ({ headers }: Session, method: string, path: string, json: object) =>
  world.send({ method, path, json, headers });

test("an invitation makes a person who signs in, once", async () => {
  const invited = await invite("editor");
  assert.deepEqual([invited.state, invited.name, invited.last_seen_at], ["invited", "", null]);
  refused(await signIn(invited.email, password), 401, "sign_in_failed");
  const session = sessionOf(await join(codeOf(invited)), invited.email);
  assert.equal(session.person.state, "active");
  refused(await join(codeOf(invited)), 401, "sign_in_link_invalid");
  assert.equal(dataOf(await get(session, "/api/people/me")).email, invited.email);
  const again = sessionOf(await signIn(invited.email.toUpperCase(), password), invited.email);
  assert.equal(again.person.id, invited.id);
  const row = dataOf(await world.read({ limit: 1000 }, undefined, "/api/people")).find(
    (one: Any) => one.id === invited.id,
  );
  assert.equal(row.name, "Ada");
  assert.equal(typeof row.last_seen_at, "number");
});

test("a person who is disabled is out at once, and a reset makes another password", async () => {
  const session = await signedIn("viewer");
  const change = (more: object) => world.write("PATCH", { id: session.person.id, ...more }, "/api/people");
  assert.equal((await get(session, "/api/people/me")).status, 200);
  assert.equal(dataOf(await change({ state: "disabled" })).state, "disabled");
  refused(await get(session, "/api/people/me"), 401, "session_invalid");
  refused(await signIn(session.email, password), 401, "sign_in_failed");
  await change({ state: "active" });
  const { link } = dataOf(await world.write("POST", { id: session.person.id }, "/api/people/reset"));
  refused(await join(codeOf({ link }), { password: "password1" }), 422, "password_weak");
  sessionOf(await join(codeOf({ link }), { password: "another quiet harbour" }), session.email);
  refused(await signIn(session.email, password), 401, "sign_in_failed");
  sessionOf(await signIn(session.email, "another quiet harbour"), session.email);
});

test("wrong passwords of one account from one address keep nobody else waiting", async () => {
  const { email } = await signedIn("viewer");
  const from = freshAddress(world.url);
  const send = (secret: string) =>
    world.send({ method: "POST", path: "/admin/session", json: { email, password: secret }, ...(from && { from }) });
  let reply = await send("a wrong password");
  for (let i = 0; i < 60 && reply.status === 401; i++) reply = await send("a wrong password");
  refused(reply, 429, "too_many_failures");
  if (from) sessionOf(await signIn(email, password, true), email);
});

test("wrong passwords of one account from everywhere make the next try wait, and the right one, too", async () => {
  for (const email of [(await signedIn("viewer")).email, emailOf("nobody")]) {
    let reply = await signIn(email, "a wrong password", true);
    for (let i = 0; i < 60 && reply.status === 401; i++) reply = await signIn(email, "a wrong password", true);
    refused(reply, 429, "too_many_failures");
    assert.ok(Number(reply.headers["retry-after"]) >= 1);
  }
});

test("the log names the person, also when he is gone", async () => {
  const session = await signedIn("editor");
  const since = await world.newestEvent();
  const made = await send(session, "POST", "/api/entries", { id: id("by-ada"), data: {} });
  assert.equal(made.status, 200, made.text);
  const find = async () => (await world.eventsAfter(since)).find(({ subject }) => subject === id("by-ada"));
  const { actor, actor_name } = await find();
  assert.deepEqual([actor, actor_name], [`person:${session.person.id}`, "Ada"]);
  assert.equal((await world.write("DELETE", { id: session.person.id }, "/api/people")).status, 204);
  assert.equal((await find()).actor_name, "Ada");
});

// -------------------------------------------------------------------------------------- a role is answered as a token

const resources = ["entries", "files", "folders"];
await world.plant({
  up: { n: 0 },
  "up/in": { n: 1 },
  "up/in/a": { n: 2 },
  "up/in/draft": { n: 1, visibility: "draft" },
  "up/out": { n: 1 },
  "up/out/b": { n: 2 },
});
for (const path of ["up/in/a.png", "up/out/b.png"]) await plantFile(world, path, { bytes: png() });

type Ask = [method: string, path: string, args: (place: string, who: string) => object];
const reads: Ask[] = [
  ...["/api/entries", "/api/delivery/entries", "/api/management/entries", "/api/entries/staged"].map(
    (path): Ask => ["GET", path, (place) => ({ id: place })],
  ),
  ["GET", "/api/entries", (place) => ({ id: place, filter: { depth: ">=0", order_by: { field: "slug" } } })],
  ["GET", "/api/management/entries/children", (place) => ({ id: place })],
  ["GET", "/api/entries/history", (place) => ({ id: place })],
  ["GET", "/api/entries/staged/list", () => ({ limit: 1000 })],
  ["GET", "/api/files", (place) => ({ path: `${place}.png` })],
  ["GET", "/api/files", (place) => ({ path: place, collection: true })],
  ["GET", "/api/folders", (place) => ({ path: place })],
  ["GET", "/api/folders", (place) => ({ path: place, collection: true })],
  ["GET", "/api/trash", () => ({ search: world.prefix })],
  ["GET", "/api/registry", () => ({ id: "octavo.manifest.name" })],
  ["GET", "/api/types", () => ({})],
  ["GET", "/api/tokens/preview", () => ({ strict: undefined })],
  ...["/api/events", "/api/tokens", "/api/sessions", "/api/people", "/api/roles", "/api/stats"].map(
    (path): Ask => ["GET", path, () => ({})],
  ),
];
const writes: Ask[] = [
  ["POST", "/api/entries", (place, who) => ({ id: `${place}/${who}`, data: {} })],
  ["PATCH", "/api/entries", (place, who) => ({ id: `${place}/${who}`, data: { n: 3 } })],
  ["PATCH", "/api/entries/staged", (place, who) => ({ id: `${place}/${who}`, data: { n: 4 } })],
  ["POST", "/api/entries/publish", (place, who) => ({ id: `${place}/${who}` })],
  ["PATCH", "/api/entries/staged", (place, who) => ({ id: `${place}/${who}`, data: { n: 5 } })],
  ["DELETE", "/api/entries/staged", (place, who) => ({ id: `${place}/${who}` })],
  ["PUT", "/api/entries/copy", (place, who) => ({ id: place, new_id: `${place}/${who}-copy` })],
  ["PUT", "/api/entries", (place, who) => ({ id: `${place}/${who}`, new_id: `${place}/${who}-moved` })],
  ["DELETE", "/api/entries", (place, who) => ({ id: `${place}/${who}-moved` })],
  ["POST", "/api/folders", (place, who) => ({ path: `${place}/${who}` })],
  ["PUT", "/api/folders", (place, who) => ({ path: `${place}/${who}`, new_path: `${place}/${who}-moved` })],
  ["DELETE", "/api/folders", (place, who) => ({ path: `${place}/${who}-moved` })],
  ["PUT", "/api/files/copy", (place, who) => ({ path: `${place}.png`, new_path: `${place}/${who}.png` })],
  ["POST", "/api/files/meta", (place, who) => ({ path: `${place}/${who}.png`, field: "alt", value: "x" })],
  ["DELETE", "/api/files", (place, who) => ({ path: `${place}/${who}.png` })],
  ["POST", "/api/tokens/preview", (place) => ({ paths: [place] })],
  ["PUT", "/api/registry", () => ({ id: `${world.key}.x`, value: 1 })],
  ["POST", "/api/tokens", () => ({ kind: "images" })],
  ["PUT", "/api/types", () => ({ id: "none", schema: {} })],
  ["POST", "/api/people", () => ({ email: "mallory@example.org", role: "owner" })],
  ["PUT", "/api/roles", () => ({ id: "mallory", resources: ["entries"], writes: "all" })],
];

/** What a reply says, without what differs between two callers. */
const told = ({ status, text }: Reply, who = "nobody"): string =>
  `${status} ${text}`
    .replaceAll(who, "<who>")
    .replace(/"request_id":"[^"]*"/, "")
    .replace(/"(uuid|revision|id|token|maker|actor|\w+_at|\w+_by)":("[^"]*"|\d+|null)/g, "")
    .replace(/"(revision|sequence)": *\d+/g, "");

for (const paths of [null, [id("up/in")]]) {
  for (const level of ["none", "staged", "all"] as const) {
    const where = paths ? "with paths" : "everywhere";
    describe(`a role of writes ${level}, ${where}, is answered as a token`, async () => {
      const name = `r${level}-${paths ? "in" : "all"}-${world.prefix}`.toLowerCase().slice(0, 64);
      const limits = { resources, ...(paths && { paths }) };
      const role = await world.write("PUT", { id: name, ...limits, writes: level }, "/api/roles");
      assert.equal(role.status, 200, role.text);
      atEnd(() => world.write("DELETE", { id: name }, "/api/roles"));
      const session = await signedIn(name);
      const token = await world.token({
        kind: "management",
        ...limits,
        ...(level === "staged" && { writes: level }),
      });
      const pair = { token: token.token, access_token: world.tokens.access };

      for (const place of ["up/in", "up/out", "up", "up/nothing"].map(id)) {
        test(`reads at ${place.slice(world.prefix.length + 1)}`, async () => {
          for (const [, path, args] of reads) {
            const query = JSON.parse(JSON.stringify(args(place, ""))) as Any;
            const asToken = async () => told(await world.read(query, token.token, path));
            let [said, meant] = ["", await asToken()];
            // Chapters that run beside this one write what some lists have, too.
            for (let tries = 0; tries < 5; tries++) {
              said = told(await get(session, path, query));
              if (said === meant) break;
              meant = await asToken();
              if (said === meant) break;
            }
            assert.equal(said, meant, path);
          }
        });
        test(`writes at ${place.slice(world.prefix.length + 1)}`, async () => {
          const mark = `${level}${paths ? "in" : "all"}`;
          for (const [method, path, args] of writes) {
            const mine = await send(session, method, path, args(place, `${mark}-person`));
            if (level === "none") {
              refused(mine, 403, "scope_missing");
              continue;
            }
            const json = { ...pair, ...args(place, `${mark}-token`) };
            const other = await world.send({ method, path, json });
            const isSecret = path === "/api/tokens/preview" && other.status === 200;
            const say = (reply: Reply, who: string) =>
              isSecret ? String(reply.status) : told(reply, `${mark}-${who}`);
            assert.equal(say(mine, "person"), say(other, "token"), `${method} ${path}`);
          }
        });
      }
    });
  }
}

allRepliesKeptTheirPromises(world);
