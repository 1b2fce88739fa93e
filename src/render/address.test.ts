import assert from "node:assert/strict";
import { test } from "node:test";
import { FileAddresses } from "./address.ts";
import { cleanHtml } from "./prose/clean.ts";

/** Which addresses become absolute. Contract §10, Rendering. */

const base = "https://cms.example";
const place = async (html: string) => (await new FileAddresses(base).place([cleanHtml(html)]))[0];

const absolute = [
  "/project/uploads/a.jpg",
  "/project/uploads/a%20b/%C3%A4.jpg?v=1#x",
  "/project/uploads/100%/a b.jpg",
  "/project/media/a.jpg",
  "/api/images/a.jpg?w=1&amp;h=2",
  "/api/delivery/images/a.jpg",
];
const kept = [
  "",
  "/",
  "/blog/project/uploads/a.jpg",
  "project/uploads/a.jpg",
  "/project/uploads/",
  "//project/uploads/a.jpg",
  "https://else.example/project/uploads/a.jpg",
  `${base}/project/uploads/a.jpg`,
  "/api/entries?id=a",
  "#/project/uploads/a.jpg",
];

for (const [addresses, prefix] of [
  [absolute, base],
  [kept, ""],
] as const) {
  for (const address of addresses) {
    test(`"${address}" ${prefix ? "gets the base" : "stays"} in pictures and links alone`, async () => {
      const html = (at: string) =>
        `<p title="${address}"><img src="${at}${address}" alt="src=${address}"> <a href="${at}${address}" title="href=">${address}</a></p>`;
      assert.equal(await place(html("")), cleanHtml(html(prefix)));
    });
  }
}

test("a quote in a value ends nothing", async () => {
  const html = `<img alt='" src="/project/uploads/x.jpg"' src="/project/uploads/a.jpg">`;
  assert.equal(
    await place(html),
    `<img alt="&quot; src=&quot;/project/uploads/x.jpg&quot;" src="${base}/project/uploads/a.jpg">`,
  );
});

test("whether there were any is known", async () => {
  for (const [html, isAny] of [
    ['<img src="/project/uploads/a.jpg">', true],
    ['<img src="/a.jpg"> /project/uploads/a.jpg', false],
  ] as const) {
    const addresses = new FileAddresses(base);
    await addresses.place([html]);
    assert.equal(addresses.hasAddresses, isAny);
  }
});
