import assert from "node:assert/strict";
import { before, test } from "node:test";
import { useWorld } from "../harness.ts";
import { codeOf, good, newEmail, peopleOf, refused, type SignedIn, signedIn } from "../people.ts";

/** Attacks on sessions, and on what proves a person again. Contract, part three, §19; docs/people.md, What was attacked. */

const world = useWorld({ "trust-proxy": "127.0.0.1", "auth-failures-per-minute": "1000" });
before(() => world.ready);
const { manage, invite, join, personOf, send, signIn, isIn } = peopleOf(world);

let lastAddress = 0;
/** Another client's address each time. */
const from = (): Record<string, string> => ({ "X-Forwarded-For": `192.0.2.${++lastAddress % 250}` });

test("nothing but the right password forgets the wrong ones before it", async () => {
  const { session } = await personOf("viewer");
  const guess = (more: object) =>
    send(session, "PATCH", "/api/people/me", { body: { current_password: "a wrong guess", ...more }, headers: from() });
  const replies = [];
  for (let i = 0; i < 8; i++) {
    replies.push(await guess({ password: "a louder harbour" }));
    // Changes that need no proof, or are refused for another reason.
    replies.push(await guess({ name: "Ada" }), await guess({ password: "short" }));
  }
  assert.equal(replies.at(-1)?.json.code, "too_many_failures");
  assert.equal(replies.filter(({ status }) => status === 200).length, 0);
});

test("a session that begins with the old password does not outlive its change", async () => {
  const { person, session } = await personOf("viewer");
  const started: Promise<SignedIn | undefined>[] = [];
  let [password, isOver] = [good, false];
  for (let round = 0; round < 6; round++) {
    const next = `another quiet harbour ${round}`;
    const change = send(session, "PATCH", "/api/people/me", { body: { password: next, current_password: password } });
    change.finally(() => (isOver = true));
    // At most four at once: a fifth would wait.
    for (isOver = false; !isOver; ) {
      const four = [1, 2, 3, 4].map(async () => {
        const reply = await signIn(person.email, password, from());
        return reply.status === 200 ? signedIn(reply) : undefined;
      });
      started.push(...four);
      await Promise.all(four);
    }
    assert.equal((await change).status, 200, (await change).text);
    password = next;
    const left = await Promise.all((await Promise.all(started)).map((one) => one !== undefined && isIn(one)));
    assert.ok(!left.includes(true), "a session of the old password");
    signedIn(await signIn(person.email, password, from()));
  }
  assert.ok(await isIn(session));
});

test("another address ends the link that was sent to the one before", async () => {
  const invited = await invite("viewer");
  await manage("PATCH", "/api/people", { id: invited.id, role: "editor", name: "Ada" });
  const email = newEmail();
  await manage("PATCH", "/api/people", { id: invited.id, email });
  refused(await join(codeOf(invited)), 401, "sign_in_link_invalid");
  const again = (await manage("POST", "/api/people/reset", { id: invited.id })).json.data as typeof invited;
  const session = signedIn(await join(codeOf(again)));
  const reset = (await manage("POST", "/api/people/reset", { id: invited.id })).json.data as typeof invited;
  const own = await send(session, "PATCH", "/api/people/me", { body: { email: newEmail() } });
  assert.equal(own.status, 200, own.text);
  refused(await join(codeOf(reset)), 401, "sign_in_link_invalid");
  assert.ok(await isIn(session));
});
