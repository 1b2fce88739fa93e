import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { formatJson, type JsonObject, parseJson } from "../core/lib/json.ts";
import { FrontMatterError, formatFrontMatter, parseFrontMatter } from "./front-matter.ts";

const read = (text: string, extension = "md"): string => formatJson(parseFrontMatter(text, extension).data);

const files: [text: string, json: string, extension?: string][] = [
  ["---\ntitle: One\n---\nText\n", '{"title":"One","content":"Text"}'],
  ["\ufeff---\r\ntitle: One\r\n---\r\n\r\nText\r\nmore\r\n", '{"title":"One","content":"Text\\r\\nmore"}'],
  ["---\ntitle: One\n---\na\n---\nb", '{"title":"One","content":"a\\n---\\nb"}'],
  ["---\ntitle: One\n---", '{"title":"One","content":""}'],
  ["---\n---\nText", '{"content":"Text"}'],
  ["Text only", '{"content":"Text only"}'],
  ["---\nno end", '{"content":"---\\nno end"}'],
  ["", '{"content":""}'],
  ["---\ntitle: a\u2028---\nb: 1\n---\nText", '{"title":"a\u2028---","b":1,"content":"Text"}'],
  ["---\ncontent: here\ntitle: One\n---\n", '{"content":"here","title":"One"}'],
  ["---\ntitle: One\n---\n\n  \n    code\n\n", '{"title":"One","content":"    code"}'],
  ["\n\n\tcode", '{"content":"\\tcode"}'],
  ["+++\na = 1.50\n+++\nText", '{"content":"+++\\na = 1.50\\n+++\\nText"}'],
  ["+++\na = 1.50\n+++\nText", '{"a":1.50,"content":"Text"}', "page"],
  ["\ufeff+++\r\na = 1.50\r\n+++\r\nText\r\n", '{"a":1.50,"content":"Text"}', "page"],
  ["+++\na = 1.50\n---\nText", '{"content":"+++\\na = 1.50\\n---\\nText"}', "page"],
  ["---\na: 1.50\n...\nText", '{"a":1.50,"content":"Text"}', "page"],
  ['{\n"a": "}\\"{",\n"b": {}}\n\nText', '{"a":"}\\"{","b":{},"content":"Text"}', "page"],
  ['{"a": 1}', '{"a":1,"content":""}', "page"],
  ['{"a": 1} text', '{"content":"{\\"a\\": 1} text"}', "page"],
  ["{{< a >}}", '{"content":"{{< a >}}"}', "page"],
  ["{a}", '{"content":"{a}"}', "page"],
  ["title: One\ncontent: Text", '{"title":"One","content":"Text"}', "yaml"],
  ['{"title":"One","n":1.0}', '{"title":"One","n":1.0}', "json"],
];

test("fields and content are read from every form", () => {
  for (const [text, json, extension] of files) assert.equal(read(text, extension), json, text);
});

test("what is no object of fields is refused", () => {
  for (const text of ["---\n- a\n---\n", "---\na: [\n---\n", "---\ntext\n---\n"]) {
    assert.throws(() => parseFrontMatter(text, "md"), FrontMatterError);
  }
  assert.throws(() => parseFrontMatter('{"a":1,"a":2}', "json"), FrontMatterError);
  assert.throws(() => parseFrontMatter('{"a": b}\nText', "page"), FrontMatterError);
  assert.throws(() => parseFrontMatter("+++\na = b\n+++\nText", "page"), FrontMatterError);
  for (const text of ["a\0b", "---\nno end\0.", "---\na: 1\n---\na\0b"]) {
    assert.throws(() => parseFrontMatter(text, "md"), FrontMatterError, JSON.stringify(text));
  }
});

test("a written file is read back with every field in its place", () => {
  const content = fc.oneof(
    fc.constantFrom("", "text", " text", "a\n\nb", "a\r\nb", "---\na: b\n---", "\u00a0x"),
    fc.string({ maxLength: 10 }).map((one) => one.toWellFormed().replaceAll("\0", "")),
  );
  const service = parseJson('{"published_at":"2020-01-01T00:00:00Z","routable":true}') as JsonObject;
  fc.assert(
    fc.property(content, fc.integer({ min: 0, max: 2 }), (text, place) => {
      const fields = [...(parseJson('{"title":"One","n":1.0}') as JsonObject)];
      fields.splice(place, 0, ["content", text]);
      const file = formatFrontMatter(new Map(fields), service);
      const own = parseFrontMatter(file, "md").data;
      for (const key of service.keys()) own.delete(key);
      assert.equal(formatJson(own), formatJson(new Map(fields)), file);
    }),
  );
});
