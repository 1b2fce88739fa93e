import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { before, test } from "node:test";
import { useWorld } from "../../../test/harness.ts";
import { Problem } from "../problem.ts";
import { Proxies } from "./proxy.ts";

/** The client address and origin of a request behind proxies. */

const world = useWorld({ "trust-proxy": "127.0.0.1" });
before(() => world.ready);

const request = (remoteAddress: string, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

const addresses: [trusted: string[], remote: string, forwarded: string, address: string][] = [
  [[], "10.0.0.1", "1.2.3.4", "10.0.0.1"],
  [["10.0.0.0/8"], "11.0.0.1", "1.2.3.4", "11.0.0.1"],
  [["10.0.0.0/8"], "10.0.0.1", "", "10.0.0.1"],
  [["10.0.0.0/8"], "10.0.0.1", "1.2.3.4", "1.2.3.4"],
  [["10.0.0.0/8"], "10.0.0.1", "9.9.9.9, 1.2.3.4, 10.1.1.1", "1.2.3.4"],
  [["10.0.0.0/8"], "10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"],
  [["10.0.0.0/8"], "10.0.0.1", '1.2.3.4, "x"', '"x"'],
  [["10.0.0.1"], "::ffff:10.0.0.1", "1.2.3.4", "1.2.3.4"],
  [["::1", "fd00::/8"], "fd12::1", "2001:db8::1, ::1", "2001:db8::1"],
  [["0.0.0.0/0"], "8.8.8.8", "1.2.3.4", "1.2.3.4"],
  [["10.0.0.0/8"], "10.0.0.1", "1.2.3.4:5678, 10.1.1.1:80", "1.2.3.4"],
  [["10.0.0.0/8"], "10.0.0.1", "[2001:db8::1]:5678", "2001:db8::1"],
];
for (const [trusted, remote, forwarded, address] of addresses) {
  test(`from ${remote} with "${forwarded}", ${trusted.join(" ") || "nobody"} trusted: ${address}`, () => {
    const headers: Record<string, string> = forwarded ? { "x-forwarded-for": forwarded } : {};
    assert.equal(new Proxies(trusted).addressOf(request(remote, headers)), address);
  });
}

const forwarded = {
  host: "inside:8080",
  "x-forwarded-host": "a.example, b.example",
  "x-forwarded-proto": "http, https",
};
const origins: [trusted: string[], headers: Record<string, string>, origin: string][] = [
  [[], forwarded, "http://inside:8080"],
  [["10.0.0.1"], forwarded, "https://b.example"],
  [["10.0.0.1"], { host: "inside", "x-forwarded-proto": "ftp" }, "http://inside"],
  [["10.0.0.2"], forwarded, "http://inside:8080"],
];
for (const [trusted, headers, origin] of origins) {
  test(`${JSON.stringify(headers)} with ${trusted.join(" ") || "nobody"} trusted: ${origin}`, () => {
    assert.equal(new Proxies(trusted).originOf(request("10.0.0.1", headers)), origin);
  });
}

for (const host of ["", "a b", "user@host", "host/path", "host:70000"]) {
  test(`the host "${host}" is refused`, () => {
    const isHostInvalid = (error: unknown) => error instanceof Problem && error.code === "host_invalid";
    assert.throws(() => new Proxies([]).originOf(request("10.0.0.1", { host })), isHostInvalid);
  });
}

test("a sign-in from another network waits for a turn of each, not for all that one network sent before", async () => {
  const signIn = (address: string, email: string) =>
    world.send("POST", "/admin/session", {
      headers: { "X-Forwarded-For": address },
      body: { email, password: "not the password" },
    });
  let earlier = 0;
  const many = Array.from({ length: 19 }, (_, i) => signIn("192.0.2.1", `${i}@example.org`).then(() => earlier++));
  // Right behind them: on a busy machine several are done before it has come where it waits for the first.
  assert.equal((await signIn("198.51.100.1", "ada@example.org")).json.code, "sign_in_failed");
  assert.ok(earlier <= 7, `${earlier} of the other came before`);
  await Promise.all(many);
});
