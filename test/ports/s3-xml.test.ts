import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { Bucket } from "../../src/core/bytes/s3/bucket.ts";
import { toRefusal } from "../../src/core/bytes/s3/bucket-error.ts";
import { elementsOf, escapeXml, parseXml, textOf } from "../../src/core/bytes/s3/xml.ts";

const page = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Key>not an object's</Key>
  <Contents><Key>a &amp; b &#60;&#x1F600;</Key><Size>5</Size><Owner><ID>x</ID></Owner></Contents>
  <Contents><Size>0</Size><Key><![CDATA[</Key> c]]></Key></Contents>
  <!-- <Contents><Key>a comment's</Key></Contents> -->
  <NextContinuationToken></NextContinuationToken>
</ListBucketResult>`;

test("a page is parsed with entities, CDATA and comments", () => {
  const root = parseXml(page);
  assert.ok(root);
  const objects = elementsOf(root, "Contents").map((object) => [textOf(object, "Key"), textOf(object, "Size")]);
  assert.deepEqual(objects, [
    ["a & b <\u{1f600}", "5"],
    ["</Key> c", "0"],
  ]);
  assert.equal(textOf(root, "NextContinuationToken"), "");
  assert.equal(textOf(root, "ID"), undefined);
});

const broken = ["", "busy", page.slice(0, -1), page.slice(0, 300), "<a><b></a></b>", "<a>&unknown;</a>", "<a/><b/>"];
for (const text of broken) {
  test(`${JSON.stringify(text.slice(-20))} is refused as a reply`, () => assert.equal(parseXml(text), undefined));
}

test("a refusal has code and message; a reply that is not XML has none", () => {
  const reply = "<Error><Code>SlowDown</Code><Message>Reduce &lt;it&gt;</Message></Error>";
  assert.equal(toRefusal("PUT x", 503, reply).code, "SlowDown");
  assert.match(toRefusal("PUT x", 503, reply).message, /with 503 SlowDown: Reduce <it>$/);
  assert.equal(toRefusal("GET x", 404, "").code, "NoSuchKey");
  assert.equal(toRefusal("GET x", 502, "<html><Code>x").code, "");
});

test("text in an element is escaped and parsed back", () => {
  const text = 'a<b>&amp;"é\u{1f600}';
  assert.equal(parseXml(`<a>${escapeXml(text)}</a>`)?.text, text);
});

/** The list of a bucket whose server answers these pages, then refuses. */
async function listOf(t: TestContext, pages: string[]): Promise<string[]> {
  const server = createServer((_, response) => {
    const body = pages.shift();
    response.writeHead(body === undefined ? 400 : 200).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close().closeAllConnections());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = { bucket: "b", region: "r", accessKey: "k", secretKey: "s", prefix: "p/", isPathStyle: true };
  const bucket = new Bucket({ ...access, endpoint, timeoutMs: 5000, tries: 1 });
  return (await Array.fromAsync(bucket.list(""))).map(({ key }) => key);
}
const pageOf = (key: string, token: string): string =>
  `<ListBucketResult><Contents><Key>p/${key}</Key><Size>1</Size></Contents>${token}</ListBucketResult>`;

for (const end of ["", "<NextContinuationToken/>", "<NextContinuationToken></NextContinuationToken>"]) {
  test(`a list continues at its token and ends with ${end || "none"}`, async (t) => {
    const more = "<NextContinuationToken>t</NextContinuationToken>";
    assert.deepEqual(await listOf(t, [pageOf("a", more), pageOf("b", end)]), ["a", "b"]);
  });
}
test("a truncated list is an error, not a shorter list", async (t) => {
  await assert.rejects(listOf(t, [pageOf("a", "").slice(0, -5)]), {
    name: "BucketError",
    message: /no well-formed XML/,
  });
});
