import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { SmtpMailer } from "../../src/people/mail/smtp.ts";
import { linkMail } from "../../src/people/mail.ts";
import { type Person, parseEmail } from "../../src/people/person.ts";
import { atEnd } from "../ending.ts";
import { startMailServer } from "../mail-server.ts";

/** Mail over a real SMTP server. */

const link = "https://octavo.example.org/cms/admin#code=invite-0123456789012345678901234567890123456789012";
const person: Person = {
  ...{ id: "1", name: "Ada\r\nBcc: eve@example.org", email: "ada@example.org", role: "editor", state: "invited" },
  ...{ password: null, identity: null, createdAt: 1, lastSeenAt: null },
};
const mailerTo = (url: string, timeoutMs = 5000) => new SmtpMailer({ url, sender: "octavo@localhost", timeoutMs });

/** The text of a mail without the line breaks of quoted-printable. */
const read = (text: string): string => text.replaceAll("=\r\n", "").replaceAll("=3D", "=");

test("an invitation and a reset arrive, with the whole link and nothing that somebody typed", async () => {
  const server = await startMailServer();
  const mailer = mailerTo(`smtp://127.0.0.1:${server.port}`);
  await mailer.send(linkMail(person, link, 1_800_000_000));
  await mailer.send(linkMail({ ...person, state: "active" }, link.replace("invite", "reset"), 1_800_000_000));
  const [invited, reset] = server.received;
  assert.deepEqual([invited?.from, invited?.to], ["octavo@localhost", ["ada@example.org"]]);
  const text = read(invited?.text ?? "");
  assert.match(text, /^From: Octavo <octavo@localhost>\r$/m);
  assert.match(text, /^To: ada@example.org\r$/m);
  assert.match(text, /^Subject: Your invitation to Octavo at octavo.example.org\r$/m);
  assert.match(text, /^Content-Type: text\/plain; charset=utf-8\r$/m);
  assert.match(text, /^Auto-Submitted: auto-generated\r$/m);
  assert.ok(text.includes(`\r\n${link}\r\n`), text);
  assert.ok(text.includes("until Fri, 15 Jan 2027 08:00:00 GMT"), text);
  assert.ok(!text.includes("Ada") && !/^Bcc/m.test(text));
  assert.match(read(reset?.text ?? ""), /^Subject: Your new password for Octavo.*#code=reset-/ms);
});

test("an address is one address, however it is written", async () => {
  const server = await startMailServer();
  const mailer = mailerTo(`smtp://127.0.0.1:${server.port}`);
  for (const text of [
    "ada,eve@example.org",
    "ada;eve@example.org",
    "<eve>@example.org",
    "a(b)@example.org",
    "a:b;@x.org",
  ]) {
    const email = parseEmail("email", text);
    await mailer.send(linkMail({ ...person, email }, link, 1)).catch(() => undefined);
  }
  assert.ok(server.received.length > 0);
  for (const { to, text } of server.received) {
    assert.equal(to.length, 1, text);
    assert.ok(!to.includes("eve@example.org"), text);
  }
});

test("the sender is the one of the address, or the user if that is an address", async () => {
  const server = await startMailServer({ password: "a b%c" });
  const at = `127.0.0.1:${server.port}`;
  const mail = linkMail(person, link, 1);
  await mailerTo(`smtp://cms%40example.org:a%20b%25c@${at}`).send(mail);
  await mailerTo(`smtp://cms:a%20b%25c@${at}?from=desk%40example.org`).send(mail);
  await mailerTo(`smtp://cms:a%20b%25c@${at}`).send(mail);
  assert.deepEqual(
    server.received.map(({ from, user }) => [from, user]),
    [
      ["cms@example.org", "cms@example.org"],
      ["desk@example.org", "cms"],
      ["octavo@localhost", "cms"],
    ],
  );
  await assert.rejects(mailerTo(`smtp://cms:wrong@${at}`).send(mail));
  assert.equal(server.received.length, 3);
});

test("a password leaves this machine only with TLS", async () => {
  const server = await startMailServer({ password: "secret" });
  const mail = linkMail(person, link, 1);
  // This machine under a name that is not known to be its own.
  const at = `0.0.0.0:${server.port}`;
  await assert.rejects(mailerTo(`smtp://cms:secret@${at}`).send(mail), { code: "ETLS" });
  assert.deepEqual(server.received, []);
  const open = await startMailServer();
  await mailerTo(`smtp://0.0.0.0:${open.port}`).send(mail);
  assert.equal(open.received.length, 1);
});

test("TLS whose certificate nobody knows is refused; a server that refuses, is gone or is silent is a failure", async () => {
  const mail = linkMail(person, link, 1);
  const secured = await startMailServer({ hasTls: true });
  await assert.rejects(mailerTo(`smtp://127.0.0.1:${secured.port}`).send(mail), /certificate/);
  assert.equal(secured.received.length, 0);
  const server = await startMailServer();
  const mailer = mailerTo(`smtp://127.0.0.1:${server.port}`);
  server.refuse(true);
  await assert.rejects(mailer.send(mail), /No such mailbox/);
  server.refuse(false);
  await mailer.send(mail);
  await server.close();
  await assert.rejects(mailer.send(mail));
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  atEnd(() => silent.close());
  const { port } = silent.address() as { port: number };
  await assert.rejects(mailerTo(`smtp://127.0.0.1:${port}`, 50).send(mail));
});
