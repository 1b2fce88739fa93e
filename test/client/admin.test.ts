import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, OctavoProblem } from "../../client/src/client.ts";
import { verifyWebhook } from "../../client/src/verify.ts";
import { newPasskey, register } from "../authenticator.ts";
import { startReceiver } from "../hook-receiver.ts";
import { refusal, useClients } from "./service.ts";

/** What somebody who runs the service does: registry, tokens, sessions, events, types, people, webhooks. */

const clients = useClients({ "webhook-private": "on" });

test("registry items are set to any JSON, fetched, listed with the built-in ones and deleted", async () => {
  const { registry } = clients.manager;
  const made = await registry.set("site.title", "The reading room");
  assert.deepEqual(made, { key: "site.title", value: "The reading room" });
  await registry.set("site.per_page", 10);
  const { value } = await clients.visitor.registry.fetch<number>("site.per_page");
  assert.equal(value, 10);
  assert.deepEqual((await registry.list("site.title"))[0], { ...made, read_only: false });
  assert.ok((await registry.list()).some((item) => item.read_only));
  assert.equal(await registry.delete("site"), undefined);
  await refusal(registry.fetch("site.title"), "registry_item_not_found");
});

test("tokens are created, listed, changed, rotated and revoked", async () => {
  const { tokens } = clients.manager;
  const made = await tokens.create({
    kind: "management",
    resources: ["entries"],
    paths: ["home", "about"],
    writes: "staged",
    label: "site",
    expires_at: new Date(Date.now() + 60_000),
  });
  assert.deepEqual([made.paths, made.writes], [["home", "about"], "staged"]);
  const listed = (await tokens.list()).find(({ id }) => id === made.id);
  assert.equal(listed?.label, "site");
  assert.ok(!("token" in listed));
  const rotated = await tokens.rotate(made.id);
  assert.notEqual(rotated.token, made.token);
  assert.ok((await createClient({ url: clients.world.app.url, token: rotated.token }).entries.list("")).items);
  const wider = await tokens.update(made.id, { paths: ["home"], writes: "all", expires_at: null });
  assert.deepEqual([wider.paths, wider.writes, wider.expires_at], [["home"], undefined, null]);
  assert.equal((await tokens.update(made.id, { state: "disabled" })).state, "disabled");
  assert.equal(await tokens.revoke(made.id), undefined);
});

test("sessions of the admin page are listed in pages and ended", async () => {
  const { sessions } = clients.manager;
  const { token, send } = clients.world;
  const body = { token: token.management, access_token: token.access };
  for (let i = 0; i < 2; i++) await send("POST", "/admin/session", { body });
  const { items, cursor } = await sessions.page({ limit: 1 });
  const next = await sessions.page({ limit: 1, cursor });
  const [one, two] = await sessions.list();
  assert.deepEqual([...items, ...next.items], [one, two]);
  assert.equal(await sessions.end(one?.id ?? ""), undefined);
  assert.deepEqual(await sessions.list({ limit: 1 }), [two]);
});

test("the event log is read from a sequence on, and stats have its figures", async () => {
  const { manager } = clients;
  await manager.entries.create("logged", {});
  const [last] = (await manager.events()).filter(({ subject }) => subject === "logged");
  await manager.entries.delete("logged");
  const [next] = await manager.events({ since: last?.sequence, limit: 1 });
  assert.equal(next?.kind, "entry.delete");
  assert.equal((await manager.stats()).entries, 0);
});

test("a type is put, fetched, listed, checked and deleted; what it refuses names each fault", async () => {
  const { types, entries } = clients.manager;
  const note = { id: "note", title: "Note", paths: ["notes/*"], schema: { required: ["text"] } };
  const made = await types.put(note);
  assert.deepEqual({ ...made }, { ...note, description: "", mode: "enforce" });
  assert.deepEqual({ ...(await types.fetch("note")) }, { ...made });
  await types.put({ id: "other", schema: true, mode: "off" });
  const page = await types.list({ limit: 1 });
  const rest = await types.list({ cursor: page.cursor });
  assert.deepEqual([page.items[0]?.id, rest.items[0]?.id], ["note", "other"]);
  const fault = { pointer: "/text", rule: "required", message: '"/text" is missing; expected a value' };
  await assert.rejects(entries.create("notes/a", { n: 1 }), (refused) => {
    assert.ok(refused instanceof OctavoProblem);
    assert.deepEqual([refused.code, refused.errors], ["data_invalid", []]);
    assert.deepEqual(refused.dataFaults, [{ ...fault, accepted: "a value" }]);
    return true;
  });
  await entries.create("notes/a", { text: 5 });
  const checked = await types.check({ ...note, schema: { properties: { text: { type: "string" } } } });
  assert.deepEqual([checked.checked, checked.failing, checked.first[0]?.id], [1, 1, "notes/a"]);
  const plan = [{ type: "note", rename: "/text", to: "/words" }];
  assert.equal((await types.migrate(plan, { dryRun: true })).entries, 1);
  const { group } = await types.migrate(plan);
  assert.equal((await entries.fetch("notes/a")).words, 5);
  assert.deepEqual((await types.undoMigration(group ?? 0)).types, ["note"]);
  await refusal(types.undoMigration(group ?? 0), "migration_not_found");
  const again = await types.fetch("note");
  await types.put(note, { ifMatch: again });
  await refusal(types.put(note, { ifMatch: made }), "revision_mismatch");
  const other = await types.list({ limit: 1000 });
  const model = other.items.map((type) => ({
    ...{ ...type, schema: type.schema as object },
    ...(type.id === "note" && { title: "Another title" }),
  }));
  const tried = await types.apply({ types: model, prune: true, dry_run: true });
  assert.deepEqual([tried.changes[0]?.differences[0]?.pointer, tried.unchanged], ["/title", model.length - 1]);
  await types.rename("note", "memo");
  await refusal(types.fetch("note"), "type_not_found");
  await types.rename("memo", "note");
  await types.delete("note");
  await refusal(types.fetch("note"), "type_not_found");
});

test("people are invited, listed, changed and deleted; roles are put, listed and deleted", async () => {
  const { people, roles } = clients.manager;
  const made = await roles.put({ id: "news", resources: ["entries"], paths: ["news"], writes: "staged" });
  assert.ok((await roles.list()).some(({ id }) => id === made.id));
  const ada = await people.invite({ email: "ada@example.org", role: "news" });
  assert.match(ada.link ?? "", /#code=invite-/);
  assert.match((await people.reset(ada.id)).link ?? "", /#code=invite-/);
  assert.equal((await people.update(ada.id, { role: "viewer", name: undefined })).role, "viewer");
  await refusal(people.update(ada.id, { subject: "ada" }), "argument_invalid");
  assert.equal(await roles.delete("news"), undefined);
  const { items } = await people.list({ limit: 10 });
  assert.deepEqual([items.length, items[0]?.email], [1, "ada@example.org"]);
  assert.equal(await people.delete(ada.id), undefined);
});

test("who is signed in reads and changes the own account, by the cookie", async () => {
  const { url } = clients.world.app;
  const password = "a quiet harbour at noon";
  const { link } = await clients.manager.people.invite({ email: "grace@example.org", role: "viewer" });
  const body = { code: new URL(link ?? "").hash.replace("#code=", ""), name: "Grace", password };
  const { headers, json } = await clients.world.send("POST", "/admin/session/link", { body });
  const { csrf_token, id } = json.data as { csrf_token: string; id: string };
  const Cookie = headers.get("set-cookie")?.split(";", 1)[0] as string;
  const { people, views } = createClient({ url, headers: { Cookie, "X-CSRF-Token": csrf_token } });
  assert.equal((await people.me.fetch()).name, "Grace");
  assert.equal((await people.me.update({ name: "Grace Hopper" })).name, "Grace Hopper");
  assert.deepEqual((await people.me.update({ preferences: { wide: true } })).preferences, { wide: true });
  const view = await views.create({ title: "Late", path: "news", columns: ["title"], filter: { a: 1 } });
  assert.deepEqual(await views.list(), [view]);
  assert.equal((await views.put(view.id, { title: "Later", path: "" })).title, "Later");
  assert.equal(await views.delete(view.id), undefined);
  assert.deepEqual(
    (await people.me.sessions()).map((session) => session.id),
    [id],
  );
  const { challenge } = await people.me.passkeyOptions();
  const ceremony = { challenge, rpId: "localhost", origin: `http://localhost:${new URL(url).port}` };
  const passkey = await people.me.addPasskey("Phone", register(newPasskey("ES256"), ceremony));
  assert.deepEqual(await people.me.passkeys(), [passkey]);
  assert.equal(await people.me.deletePasskey(passkey.id), undefined);
  assert.equal(await people.me.endSession(id), undefined);
  await refusal(people.me.fetch(), "session_invalid");
});

test("a webhook is made, tested, changed, rotated, sent again and deleted", async () => {
  const { webhooks, entries } = clients.manager;
  const receiver = await startReceiver();
  const { secret, ...webhook } = await webhooks.create({ url: receiver.url, kinds: ["entry.*"], label: undefined });
  assert.deepEqual(await webhooks.fetch(webhook.id), webhook);
  assert.deepEqual(await webhooks.list(), [webhook]);
  assert.equal((await webhooks.test(webhook.id)).status, 204);
  await entries.create("hooked", { title: "A" });
  await receiver.has(2);
  const [{ headers, body }] = receiver.received.slice(1) as [(typeof receiver.received)[0]];
  const payload = await verifyWebhook(headers, body, secret);
  assert.deepEqual([payload.type, payload.data.events[0]?.subject], ["octavo.changes", "hooked"]);
  const { sequence } = await webhooks.resend(webhook.id, payload.data.from);
  assert.equal(sequence, payload.data.from);
  assert.equal((await webhooks.deliveries(webhook.id)).at(-1)?.sequence, null);
  assert.notEqual((await webhooks.rotate(webhook.id)).secret, secret);
  assert.equal((await webhooks.update(webhook.id, { state: "off", kinds: undefined })).state, "off");
  assert.equal(await webhooks.delete(webhook.id), undefined);
});
