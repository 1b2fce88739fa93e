import assert from "node:assert/strict";
import { request } from "node:http";
import { before, test } from "node:test";
import { type Reply, useWorld } from "../../test/harness.ts";
import { startIssuer } from "../../test/issuer.ts";
import { startMailServer } from "../../test/mail-server.ts";
import { linkMail } from "./mail.ts";
import type { Person } from "./person.ts";

/** Links by mail, and addresses that no Host header changes. Contract, part three, §19. */

const server = startMailServer();
const issuer = startIssuer(() => ["https://octavo.example.org/admin/session/oidc/back"]);
const world = useWorld(
  { "public-url": "https://octavo.example.org" },
  Promise.all([server, issuer]).then(([{ port }, { env }]) => ({
    ...env,
    OCTAVO_SMTP_URL: `smtp://127.0.0.1:${port}?from=desk@example.org`,
  })),
);
before(() => world.ready);

const manage = (path: string, args: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Reply> =>
  world.send("POST", path, {
    body: { token: world.token.management, access_token: world.token.access, ...args },
    headers,
  });

/** The code in the last mail to the address. */
async function mailedCode(email: string): Promise<string> {
  const mail = (await server).received.findLast(({ to }) => to.includes(email));
  const text = (mail?.text ?? "").replaceAll("=\r\n", "").replaceAll("=3D", "=");
  return /^https:\/\/octavo\.example\.org\/admin#code=([\w-]+)\r$/m.exec(text)?.[1] ?? assert.fail(text);
}

type WithLink = { id: string; mailed: boolean; link?: string; link_expires_at: number };

test("an invitation and a reset are mailed, and then not answered", async () => {
  const email = "ada@example.org";
  const reply = await manage("/api/people", { email, role: "editor" }, { "X-Forwarded-Host": "evil.example.org" });
  const invited = reply.json.data as WithLink;
  assert.deepEqual([invited.mailed, invited.link], [true, undefined]);
  const code = await mailedCode(email);
  assert.ok(!reply.text.includes(code));
  assert.match(code, /^invite-/);
  const body = { code, name: "Ada", password: "a quiet harbour at noon" };
  assert.equal((await world.send("POST", "/admin/session/link", { body })).status, 200);
  const reset = (await manage("/api/people/reset", { id: invited.id })).json.data as WithLink;
  assert.deepEqual([reset.mailed, reset.link], [true, undefined]);
  assert.match(await mailedCode(email), /^reset-/);
});

test("an invitation names who invites, in letters alone, the site, and the address", () => {
  const link = "https://octavo.example.org/admin#code=invite-x";
  const invited = { email: "bob@example.org", state: "invited" } as Person;
  const textBy = (name: string) =>
    linkMail(invited, link, 0, { site: "example.org", by: { name, email: "ada@example.org" } }).text.split("\n")[0];
  const rest = "invites you to example.org, with Octavo at octavo.example.org, as bob@example.org.";
  assert.equal(textBy("Ada O’Neil-Ünal"), `Ada O’Neil-Ünal (ada@example.org) ${rest}`);
  for (const name of ["evil.example", "Ada: open http://evil.example", ""])
    assert.equal(textBy(name), `ada@example.org ${rest}`);
  assert.match(
    linkMail(invited, link, 0).text,
    /^You are invited to Octavo at octavo\.example\.org, as bob@example\.org\./,
  );
});

test("a link that the server does not take is answered, to be copied", async () => {
  const mail = await server;
  mail.refuse(true);
  const reply = await manage("/api/people", { email: "bob@example.org", role: "editor" });
  mail.refuse(false);
  const { mailed, link } = reply.json.data as WithLink;
  assert.equal(reply.status, 200, reply.text);
  assert.equal(mailed, false);
  assert.match(link ?? "", /^https:\/\/octavo\.example\.org\/admin#code=invite-/);
});

test("where the browser goes begins with public_url, whatever the Host says", async () => {
  const { port } = new URL(world.app.url);
  const headers = { Host: "evil.example.org", "X-Forwarded-Host": "evil.example.org", "X-Forwarded-Proto": "http" };
  const get = (path: string, accept: string) =>
    new Promise<{ status: number; location: string; cookie: string }>((resolve, reject) => {
      const sent = request({ port, host: "127.0.0.1", path, headers: { ...headers, accept } }, (reply) => {
        reply.resume();
        const { location = "", "set-cookie": cookies = [] } = reply.headers;
        resolve({ status: reply.statusCode ?? 0, location, cookie: cookies.join() });
      });
      sent.on("error", reject).end();
    });
  const begun = await get("/admin/session/oidc", "*/*");
  const sent = new URL(begun.location).searchParams;
  assert.equal(sent.get("redirect_uri"), "https://octavo.example.org/admin/session/oidc/back");
  assert.ok(!begun.location.includes("evil"));
  assert.match(begun.cookie, /; Path=\/admin\/session\/oidc; .*; SameSite=Lax; Secure$/);
  const back = await get("/admin/session/oidc/back?code=x", "text/html");
  assert.equal(back.location, "https://octavo.example.org/admin#refused=sign_in_failed");
});
