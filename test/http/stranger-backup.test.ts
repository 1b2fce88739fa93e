import assert from "node:assert/strict";
import { join as path } from "node:path";
import { test } from "node:test";
import { writeBackup } from "../../src/backup/backup.ts";
import { readBackup } from "../../src/backup/restore.ts";
import { isProblem } from "../../src/core/problem.ts";
import { readSettings } from "../../src/settings.ts";
import { backupFiles, openStores } from "../../src/stores.ts";
import { authenticate, newPasskey, register } from "../authenticator.ts";
import { closing } from "../ending.ts";
import { startWorld, temporaryFolder } from "../harness.ts";
import { codeOf, good, newEmail, peopleOf, refused, signedIn } from "../people.ts";

/** People after a restore: what proves them is there, what lets somebody in without a proof is not. Decision 72. */

const folder = temporaryFolder();
const file = path(folder, "people.tar");
const origin = "https://octavo.example.org";
const flags = (name: string) => ({ data: path(folder, name), "public-url": origin });
const settingsOf = (name: string) => readSettings({ flags: flags(name), env: {}, file: undefined });
const nowSeconds = () => Math.floor(Date.now() / 1000);

const identity = { issuer: "https://id.example.org", subject: "ada" };
const asserted = (email: string, subject = "ada") => ({
  ...{ identity: { ...identity, subject }, emailKey: email, name: "Ada", roles: undefined },
});

test("a backup has people, roles, passkeys, identities and states; no session, link and challenge", async (t) => {
  const before = await startWorld(flags("before"), {});
  const { manage, invite, join, personOf, send } = peopleOf(before);
  const withPassword = await personOf("owner");
  await manage("PUT", "/api/roles", { id: "news", resources: ["entries"], paths: ["news"], writes: "staged" });
  const joined = await invite("news");
  const ceremony = (challenge: string) => ({ challenge, origin, rpId: "octavo.example.org" });
  const optionsOf = async (world: typeof before, body: object) =>
    (await world.send("POST", "/admin/session/passkey/options", { body })).json.data as {
      challenge: string;
      user: { id: string };
    };
  const options = await optionsOf(before, { code: codeOf(joined) });
  const passkey = newPasskey("ES256", options.user.id);
  signedIn(await join(codeOf(joined), { name: "Grace", passkey: register(passkey, ceremony(options.challenge)) }));
  const bound = await invite("author", "ada@example.org");
  const by = () => ({ actor: "", nowSeconds: nowSeconds() });
  await before.app.stores.people.enter(asserted(bound.email), by());
  const gone = await personOf("editor");
  await manage("PATCH", "/api/people", { id: gone.person.id, state: "disabled" });
  const boundAndOut = await invite("author", newEmail());
  await before.app.stores.people.enter(asserted(boundAndOut.email, "eve"), by());
  await manage("PATCH", "/api/people", { id: boundAndOut.id, state: "disabled" });
  const invited = await invite("viewer");
  const reset = (await manage("POST", "/api/people/reset", { id: withPassword.person.id })).json.data as typeof invited;
  const listed = (await manage("GET", "/api/people")).json.data;
  const roles = (await manage("GET", "/api/roles")).json.data;
  assert.ok((await send(withPassword.session, "GET", "/api/people/me")).status === 200);
  const open = await optionsOf(before, { code: codeOf(invited) });
  await before.app.close();

  const { TarReader, TarWriter } = await backupFiles();
  const progress = () => undefined;
  await closing(openStores(settingsOf("before")), async (stores) =>
    writeBackup(stores, await TarWriter.create(file, 1), { version: "test", nowSeconds: 1 }, progress),
  );
  await closing(openStores(settingsOf("after")), async (stores) => {
    await readBackup(stores, new TarReader(file), 1, progress);
    assert.deepEqual(await stores.verify(), []);
  });

  const after = await startWorld(flags("after"), {});
  t.after(() => after.app.close());
  const now = peopleOf(after);
  assert.deepEqual((await now.manage("GET", "/api/people")).json.data, listed);
  assert.deepEqual((await now.manage("GET", "/api/roles")).json.data, roles);
  signedIn(await now.signIn(withPassword.person.email));
  const { challenge } = await optionsOf(after, {});
  const answer = { passkey: authenticate(passkey, ceremony(challenge)) };
  const session = signedIn(await after.send("POST", "/admin/session/passkey", { body: answer }));
  const staged = await now.send(session, "POST", "/api/entries", { body: { id: "other", data: {} } });
  assert.ok(staged.status >= 400, "below its paths, and staged, as before");
  const { people } = after.app.stores;
  assert.equal((await people.enter(asserted("another@example.org"), by())).id, bound.id);
  for (const out of [people.enter(asserted(boundAndOut.email, "eve"), by())])
    await assert.rejects(out, (error) => isProblem(error, "sign_in_failed"));
  refused(await now.signIn(gone.person.email), 401, "sign_in_failed");

  refused(await now.send(withPassword.session, "GET", "/api/people/me"), 401, "session_invalid");
  for (const code of [codeOf(invited), codeOf(reset)]) {
    refused(await now.join(code), 401, "sign_in_link_invalid");
    refused(
      await after.send("POST", "/admin/session/passkey/options", { body: { code } }),
      401,
      "sign_in_link_invalid",
    );
  }
  const late = register(newPasskey("ES256", open.user.id), ceremony(open.challenge));
  refused(await now.join(codeOf(invited), { name: "Eve", passkey: late }), 401, "sign_in_link_invalid");
  refused(await now.signIn(invited.email, good), 401, "sign_in_failed");
  const again = (await now.manage("POST", "/api/people/reset", { id: invited.id })).json.data as typeof invited;
  signedIn(await now.join(codeOf(again)));
});
