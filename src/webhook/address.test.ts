import assert from "node:assert/strict";
import { test } from "node:test";
import { type AddressClass, checkWebhookUrl, classOf, mayConnect } from "./address.ts";

/** Which addresses webhooks may go to. */

const classes: Record<AddressClass, string[]> = {
  loopback: ["127.0.0.1", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1"],
  private: [
    "10.0.0.0",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "100.64.0.0",
    "100.127.255.255",
    "fc00::1",
    "fdff::",
  ],
  refused: [
    ...["0.0.0.0", "0.1.2.3", "169.254.169.254", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.19.255.255"],
    ...["198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"],
    ...["::", "::2", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:808:808", "::127.0.0.1", "::8.8.8.8", "fe80::1"],
    ...["fe80::1%eth0", "2606:4700::1%1", "fec0::1", "ff02::1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "2002:808:808::"],
    ...["2001::1", "2001:10::1", "2001:db8::1", "3fff::1", "100::1", "4000::1", "e000::1"],
    // No addresses.
    ...[
      "",
      "example.org",
      "1.2.3",
      "1.2.3.256",
      "01.2.3.4",
      "1.2.3.4.5",
      ":::",
      "1:2:3:4:5:6:7:8:9",
      "1::2::3",
      "g::1",
    ],
    ...["::1.2.3", "1:2:3:4:5:6:7:1.2.3.4", "12345::1", "1:2:3:4:5:6:7:8::"],
  ],
  public: ["8.8.8.8", "1.1.1.1", "11.0.0.0", "172.32.0.1", "100.128.0.1", "198.20.0.1", "2606:4700::1111", "2a00:1::"],
};
for (const [kind, addresses] of Object.entries(classes)) {
  test(`addresses that are ${kind}`, () => {
    for (const address of addresses) assert.equal(classOf(address), kind, address);
  });
}

test("without the setting only public addresses with TLS are connected to, with it private ones, too", () => {
  const may = (address: string) =>
    [true, false].flatMap((isPrivate) => [true, false].map((isSecure) => mayConnect(address, { isSecure, isPrivate })));
  assert.deepEqual(may("8.8.8.8"), [true, false, true, false]);
  assert.deepEqual(may("10.0.0.1"), [true, false, false, false]);
  assert.deepEqual(may("127.0.0.1"), [true, true, false, false]);
  assert.deepEqual(may("169.254.169.254"), [false, false, false, false]);
});

const refused = { code: "webhook_address_refused" };
test("a name that resolves to an address inside is refused, if any of them is", async () => {
  const check = (url: string, addresses: string[], isPrivate = false) =>
    checkWebhookUrl(url, isPrivate, async () => addresses);
  assert.equal(await check("https://example.org", ["8.8.8.8"]), "https://example.org/");
  await assert.rejects(check("https://example.org", ["8.8.8.8", "10.0.0.1"]), refused);
  await assert.rejects(check("https://example.org", ["::ffff:10.0.0.1"]), refused);
  await assert.rejects(check("https://example.org", ["169.254.169.254"], true), refused);
  assert.equal(await check("https://intranet", ["10.0.0.1"], true), "https://intranet/");
  // Without TLS only to this machine, and only where private addresses are admitted.
  await assert.rejects(check("http://127.0.0.1:9000/a", []), refused);
  assert.equal(await check("http://127.0.0.1:9000/a", [], true), "http://127.0.0.1:9000/a");
  assert.equal(await check("http://localhost:9000/a", ["127.0.0.1", "::1"], true), "http://localhost:9000/a");
  await assert.rejects(check("http://localhost/", ["8.8.8.8"], true), refused);
  await assert.rejects(check("http://10.0.0.1/", [], true), refused);
  await assert.rejects(check("http://example.org/", ["127.0.0.1"], true), refused);
  // One that does not resolve now may later.
  const lost = checkWebhookUrl("https://example.org", false, () => Promise.reject(new Error("ENOTFOUND")));
  assert.equal(await lost, "https://example.org/");
});

const wrong = [
  ...["ftp://example.org/", "https:///hook", "https://a:b@example.org/", "https://example.org/#a"],
  ...[
    "https://a@example.org/",
    "https://:b@example.org/",
    "https://example.org:0/",
    "https://example.org\\@127.0.0.1/",
    " https://example.org/",
  ],
  ...["https://[fe80::1%25eth0]/", `https://example.org/${"a".repeat(2000)}`, `https://example.org/${"ä".repeat(500)}`],
];
const inside = [
  ...["127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0x7f000001", "127.0.0.1.", "0", "10.0.0.1", "169.254.169.254"],
  ...["localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain", "[::1]", "[::ffff:8.8.8.8]"],
  ...["[fd12:3456::1]", "[2002:7f00:1::]", "①②⑦.0.0.1", "127。0。0。1", "１２７.0.0.1"],
];
test("what is no address is refused, and one inside however it is written", async () => {
  const check = (url: string) => checkWebhookUrl(url, false, async () => []);
  for (const url of wrong) await assert.rejects(check(url), { code: "argument_invalid" }, url);
  for (const host of inside) {
    for (const url of [`https://${host}/`, `https://${host}:8443/hook`]) await assert.rejects(check(url), refused, url);
  }
  for (const host of ["8.8.8.8", "[2606:4700::1111]", "0x08080808"]) assert.ok(await check(`https://${host}/`), host);
});
