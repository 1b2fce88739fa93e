import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { parseJson } from "../core/lib/json.ts";
import { Problem } from "../core/problem.ts";
import {
  formatRegistryItem,
  formatRegistryValue,
  getRegistryItem,
  manifest,
  parseRegistryKey,
  type RegistryItem,
  type RegistryStore,
  refuseLargeValue,
  refuseReadOnly,
} from "./registry.ts";

const keys: [sent: string, key: string][] = [
  ["a", "a"],
  ["site.theme-2.dark_mode", "site.theme-2.dark_mode"],
  ["1.2", "1.2"],
  ["caf\u00e9.\u540d", "caf\u00e9.\u540d"],
  ["cafe\u0301", "caf\u00e9"],
  ["\u0928\u093e\u092e", "\u0928\u093e\u092e"],
  ["\u0958", "\u0915\u093c"],
  ["a".repeat(512), "a".repeat(512)],
];
for (const [sent, key] of keys) {
  test(`${JSON.stringify(sent.slice(0, 30))} is a key`, () => assert.equal(parseRegistryKey(sent), key));
}

const refusedKeys = [
  "",
  ".",
  "a.",
  ".a",
  "a..b",
  "a b",
  "a/b",
  "a\n",
  "a\0",
  "\ud800",
  "\u0301a",
  "a.\u0301",
  "\u{1f600}",
  "constructor",
  "a.__proto__.b",
  "a".repeat(513),
  "\u00e9".repeat(257),
];
for (const key of refusedKeys) {
  test(`${JSON.stringify(key.slice(0, 30))} is not a key`, () => {
    assert.throws(() => parseRegistryKey(key, "key"), { code: "argument_invalid", message: /^"key" was / });
  });
}

test("a parsed key parses to itself", () => {
  const letters = fc.string({
    unit: fc.constantFrom("a", "e\u0301", "\u0958", "\u1e9b\u0323", "\uac00", ".", "-", "1"),
  });
  fc.assert(
    fc.property(letters, (text) => {
      let key: string;
      try {
        key = parseRegistryKey(text);
      } catch (error) {
        assert.ok(error instanceof Problem);
        return;
      }
      assert.equal(parseRegistryKey(key), key);
    }),
  );
});

test("a value is JSON of at most 64 KiB, counted in bytes", () => {
  assert.equal(formatRegistryValue(parseJson('{ "b": 1.0, "a": [null] }')), '{"b":1.0,"a":[null]}');
  refuseLargeValue("x".repeat(65_536));
  assert.throws(() => refuseLargeValue("x".repeat(65_537)), { code: "argument_invalid", message: /"65537 bytes"/ });
  assert.throws(() => formatRegistryValue("\u00e9".repeat(32_768)), { code: "argument_invalid" });
});

for (const key of ["octavo.manifest", "octavo.manifest.name", "octavo.manifest.new", "octavo", "flextype"]) {
  test(`${key} cannot be written`, () => assert.throws(() => refuseReadOnly(key), { code: "registry_item_read_only" }));
}
for (const key of ["octavo.manifests", "octavo.other", "octavo-manifest", "flex", "x.octavo.manifest"]) {
  test(`${key} can be written`, () => refuseReadOnly(key));
}

/** A store's items. */
const storeOf = (items: RegistryItem[]): Pick<RegistryStore, "listBelow"> => ({
  listBelow: (key) => items.filter((item) => item.key === key || item.key.startsWith(`${key}.`)),
});
const store = storeOf([
  { key: "site.name", value: '"Blog"' },
  { key: "site.theme", value: '{"color":"red"}' },
  { key: "site.theme.size", value: "1.0" },
  { key: "number", value: "9007199254740993" },
]);
const read = async (key: string) => formatRegistryItem(await getRegistryItem(store, key, manifest("1.2.3")));

const items: [key: string, json: string][] = [
  ["site.name", '{"key":"site.name","value":"Blog"}'],
  // Its own value, not the object of its descendants.
  ["site.theme", '{"key":"site.theme","value":{"color":"red"}}'],
  ["site", '{"key":"site","value":{"name":"Blog","theme":{"color":"red","size":1.0}}}'],
  ["number", '{"key":"number","value":9007199254740993}'],
  ["octavo.manifest.version", '{"key":"octavo.manifest.version","value":"1.2.3"}'],
  ["flextype", '{"key":"flextype","value":{"manifest":{"version":"0.9.8"}}}'],
];
for (const [key, json] of items) {
  test(`${key} is answered as ${json.slice(0, 60)}`, async () => assert.equal(await read(key), json));
}
for (const key of ["sit", "site.name.x", "site.themes", "octavo.manifest.x"]) {
  test(`there is no item ${key}`, () => assert.rejects(read(key), { code: "registry_item_not_found" }));
}
