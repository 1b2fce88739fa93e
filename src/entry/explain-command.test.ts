import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runOctavo } from "../../test/cli/octavo.ts";
import { closing } from "../../test/ending.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { readSettings } from "../settings.ts";
import { openStores } from "../stores.ts";

const folder = temporaryFolder();
const data = join(folder, "data");
const explain = (...words: string[]) => runOctavo(["explain", ...words, "--data", data], { cwd: folder });

test.before(() =>
  closing(openStores(readSettings({ flags: { data }, env: {}, file: undefined })), async ({ entries }) => {
    const context = { actor: "test", nowSeconds: 1 };
    for (let n = 0; n < 30; n++) {
      const input = { data: `{"year":${2000 + (n % 5)},"title":"t${n}"}`, isMergePatch: false, fields: {} };
      await entries.create(`movies/m${n}` as never, input, context);
    }
  }),
);

const plans: [query: string, plan: RegExp][] = [
  ["id=movies&filter[order_by][field]=year&filter[limit]=6", /^order by index \(year\), \d+ entries read$/],
  ["?id=movies&filter[limit]=4", /^order by index \(path\), 5 entries read$/],
  ["id=movies&filter[where][key]=year&filter[where][expr]=eq&filter[where][value]=2003", /^conditions by index, 6 /],
  ["id=movies&filter[return]=count", /^count by index$/],
  ["id=movies&filter[order_by][field]=uuid", /^scan of every entry, 30 read$/],
];
for (const [query, plan] of plans) {
  test(`${query} is read by ${plan.source.slice(1, 20)}`, async () => {
    const { code, out, err } = await explain(query);
    assert.equal(code, 0, err);
    const [first = "", second = ""] = out.split("\n");
    assert.match(first, plan);
    assert.match(second, /^[\d.]+ ms, \d+ bytes$/);
  });
}

test("as JSON, for a management token", async () => {
  const { out } = await explain("id=movies&filter[limit]=2", "--management", "--json");
  const { plan, milliseconds, bytes } = JSON.parse(out);
  assert.match(plan, /^order by index/);
  assert.ok(milliseconds >= 0 && bytes > 2);
});

for (const [words, message] of [
  [["id=movies&filter[limit]=x"], /QUERY: .*limit.*"x"/],
  [["id=a//b"], /QUERY: id/],
] as const) {
  test(`${words} is a usage error`, async () => {
    const { code, err } = await explain(...words);
    assert.equal(code, 2);
    assert.match(err, message);
  });
}

test("a search is told with what each match is worth in the rules of the order", async () => {
  const { code, out, err } = await explain("q=t7");
  assert.equal(code, 0, err);
  assert.match(out, /^ENTRY +WORDS +TYPOS +WEIGHT +NEARNESS +WHOLE +PUBLISHED AT\nmovies\/m7 +1 +0 +4 +0 +1 +1970-/);
  const { matches } = JSON.parse((await explain("q=t7", "--json")).out);
  assert.deepEqual(Object.keys(matches[0].why), ["words", "typos", "weight", "nearness", "whole", "published_at"]);
});
