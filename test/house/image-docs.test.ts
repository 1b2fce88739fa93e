import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { imagesPage, presets, readStrictly, sampleFile, samples } from "../../scripts/image-docs.ts";
import { modifierRows } from "../../src/image/modifier.ts";
import { imageSettings } from "../../src/image/settings.ts";
import { settingRows } from "../../src/settings.ts";

const docs = new URL("../../docs/", import.meta.url);
const page = readFileSync(new URL("images.md", docs), "utf8");
const names: string[] = modifierRows.map(({ name }) => name);

test("docs/images.md is what npm run docs generates", () => {
  assert.equal(page, imagesPage());
});

test("every argument has exactly one section", () => {
  for (const name of names) assert.equal(page.split(`\n### ${name}\n`).length, 2, name);
});

test("every argument has its sample file, and every sample file its argument", () => {
  const files = readdirSync(new URL("images/", docs));
  assert.deepEqual(files.sort(), Object.keys(samples).map(sampleFile).sort());
  for (const name of names) assert.ok(files.includes(sampleFile(name)), name);
  for (const file of files) {
    assert.ok(names.includes(file.split(/[-.]/)[0] ?? ""), file);
    assert.ok(page.includes(`](images/${file})`), `${file} is not shown`);
  }
});

test("every URL of the page is valid in strict mode, and a sample shows its argument", () => {
  const queries = [...page.matchAll(/\/api\/images\/movies\/[^?\s`']+\?([^\s`']+)/g)].map((found) => found[1] ?? "");
  assert.ok(queries.length > Object.keys(samples).length);
  for (const query of queries) assert.doesNotThrow(() => readStrictly(query), query);
  for (const [name, address] of Object.entries(samples)) {
    assert.match(address, new RegExp(`[?&]${name.split("-")[0]}=`), name);
  }
  assert.throws(() => readStrictly("w=320&sahrp=5"));
});

test("the page's presets are valid for the setting", () => {
  const [, text = ""] = /OCTAVO_IMAGE_PRESETS='([^']+)'/.exec(page) ?? [];
  assert.equal(imageSettings.image_presets.parse(text), text);
  assert.deepEqual(
    text.split(";").map((preset) => preset.split(":")[0]),
    [...presets.keys()],
  );
});

test("every setting that the page names exists", () => {
  for (const [, name = ""] of page.matchAll(/settings\.md#(\w+)/g)) assert.ok(Object.hasOwn(settingRows, name), name);
});
