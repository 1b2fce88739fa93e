import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../client/src/client.ts";
import { refusal, useClients } from "./service.ts";

const clients = useClients();

test("registry items are set to any JSON, fetched and deleted", async () => {
  const { registry } = clients.manager;
  assert.deepEqual(await registry.set("site.title", "The reading room"), {
    key: "site.title",
    value: "The reading room",
  });
  await registry.set("site.per_page", 10);
  const { value } = await clients.visitor.registry.fetch<number>("site.per_page");
  assert.equal(value, 10);
  assert.deepEqual((await clients.visitor.registry.fetch("site")).value, { title: "The reading room", per_page: 10 });
  assert.equal(await registry.delete("site"), undefined);
  await refusal(registry.fetch("site.title"), "registry_item_not_found");
  await refusal(registry.delete("site"), "registry_item_not_found");
  await refusal(registry.set("octavo.manifest.name", "x"), "registry_item_read_only");
  await refusal(clients.visitor.registry.set("x", "y"), "scope_missing");
});

test("tokens are created, listed, changed, rotated and revoked", async () => {
  const { tokens } = clients.manager;
  const made = await tokens.create({
    kind: "delivery",
    resources: ["registry"],
    label: "site",
    expires_at: new Date(Date.now() + 60_000),
  });
  const read = (token: string) => createClient({ url: clients.world.app.url, token }).registry.fetch("octavo");
  await read(made.token);
  const listed = (await tokens.list()).find(({ id }) => id === made.id);
  assert.equal(listed?.label, "site");
  assert.ok(!("token" in listed));
  const rotated = await tokens.rotate(made.id);
  await refusal(read(made.token), "token_invalid");
  await read(rotated.token);
  assert.equal((await tokens.update(made.id, { state: "disabled", expires_at: null })).state, "disabled");
  await refusal(read(rotated.token), "token_invalid");
  assert.equal(await tokens.revoke(made.id), undefined);
  await refusal(tokens.revoke(made.id), "token_not_found");
  await refusal(tokens.rotate(made.id), "token_not_found");
  await refusal(tokens.update(made.id, { label: "x" }), "token_not_found");
  await refusal(tokens.create({ kind: "nobody" as never }), "argument_invalid");
  await refusal(clients.visitor.tokens.list(), "scope_missing");
});

test("sessions of the admin page are listed and ended", async () => {
  const { manager, visitor, world } = clients;
  const body = { token: world.token.management, access_token: world.token.access };
  for (let i = 0; i < 2; i++) await world.send("POST", "/admin/session", { body });
  assert.equal((await manager.sessions.list({ limit: 1 })).length, 1);
  const [one, two] = await manager.sessions.list();
  assert.ok(one && two && one.id !== two.id);
  assert.equal(await manager.sessions.end(one.id), undefined);
  assert.deepEqual(await manager.sessions.list(), [two]);
  await refusal(manager.sessions.end(one.id), "session_not_found");
  await refusal(visitor.sessions.list(), "scope_missing");
});

test("the event log is read from a sequence on, and stats have its figures", async () => {
  const { manager, visitor } = clients;
  await manager.entries.create("logged", {});
  const [last] = (await manager.events()).filter(({ subject }) => subject === "logged");
  assert.equal(last?.kind, "entry.create");
  await manager.entries.delete("logged");
  const [next] = await manager.events({ since: last?.sequence, limit: 1 });
  assert.equal(next?.kind, "entry.delete");
  assert.equal((await manager.stats()).entries, 0);
  await refusal(manager.events({ limit: 0 }), "argument_invalid");
  await refusal(visitor.events(), "scope_missing");
  await refusal(visitor.stats(), "scope_missing");
});
