import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../client/src/client.ts";
import { newPasskey, register } from "../authenticator.ts";
import { refusal, useClients } from "./service.ts";

const clients = useClients();
const password = "a quiet harbour at noon";

test("people are invited, listed, changed and deleted; roles are put, listed and deleted", async () => {
  const { people, roles } = clients.manager;
  const made = await roles.put({ id: "news", resources: ["entries"], paths: ["news"], writes: "staged" });
  assert.ok((await roles.list()).some(({ id }) => id === made.id));
  const ada = await people.invite({ email: "ada@example.org", role: "news" });
  await refusal(people.invite({ email: "ADA@example.org", role: "news" }), "person_exists");
  assert.match(ada.link ?? "", /#code=invite-/);
  assert.match((await people.reset(ada.id)).link ?? "", /#code=invite-/);
  await refusal(roles.delete("news"), "role_in_use");
  assert.equal((await people.update(ada.id, { role: "viewer", name: undefined })).role, "viewer");
  assert.equal(await roles.delete("news"), undefined);
  const { items } = await people.list({ limit: 10 });
  assert.deepEqual(
    items.map(({ email }) => email),
    ["ada@example.org"],
  );
  assert.equal(await people.delete(ada.id), undefined);
  await refusal(people.delete(ada.id), "person_not_found");
  await refusal(clients.visitor.people.list(), "scope_missing");
});

test("who is signed in reads and changes the own account, by the cookie", async () => {
  const { url } = clients.world.app;
  const { link } = await clients.manager.people.invite({ email: "grace@example.org", role: "viewer" });
  const body = { code: new URL(link ?? "").hash.replace("#code=", ""), name: "Grace", password };
  const { headers, json } = await clients.world.send("POST", "/admin/session/link", { body });
  const { csrf_token, id } = json.data as { csrf_token: string; id: string };
  const Cookie = headers.get("set-cookie")?.split(";", 1)[0] as string;
  const { people } = createClient({ url, headers: { Cookie, "X-CSRF-Token": csrf_token } });
  assert.equal((await people.me.fetch()).name, "Grace");
  assert.equal((await people.me.update({ name: "Grace Hopper" })).name, "Grace Hopper");
  const { views, ...own } = createClient({ url, headers: { Cookie, "X-CSRF-Token": csrf_token } });
  assert.deepEqual((await own.people.me.update({ preferences: { wide: true } })).preferences, { wide: true });
  const view = await views.create({ title: "Late", path: "news", columns: ["title"], filter: { a: 1 } });
  assert.deepEqual(await views.list(), [view]);
  assert.equal((await views.put(view.id, { title: "Later", path: "" })).title, "Later");
  assert.equal(await views.delete(view.id), undefined);
  await refusal(views.delete(view.id), "view_not_found");
  await refusal(people.me.update({ password: "x", current_password: password }), "password_weak");
  assert.deepEqual(
    (await people.me.sessions()).map((session) => session.id),
    [id],
  );
  const { challenge } = await people.me.passkeyOptions();
  const ceremony = { challenge, rpId: "localhost", origin: `http://localhost:${new URL(url).port}` };
  const passkey = await people.me.addPasskey("Phone", register(newPasskey("ES256"), ceremony));
  assert.deepEqual(await people.me.passkeys(), [passkey]);
  assert.equal(await people.me.deletePasskey(passkey.id), undefined);
  await refusal(people.me.deletePasskey(passkey.id), "passkey_not_found");
  assert.equal(await people.me.endSession(id), undefined);
  await refusal(people.me.fetch(), "session_invalid");
});
