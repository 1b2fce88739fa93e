import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "../settings.ts";
import { localesOf, parseLocale } from "./locale.ts";

const read = (locales: string, fallbacks = "") =>
  localesOf(readSettings({ flags: { locales, "locale-fallbacks": fallbacks }, env: {}, file: undefined }));

test("a locale falls back to its own prefixes, or along its chain; the source ends each", () => {
  const cases: [locales: string, fallbacks: string, locale: string, chain: string[]][] = [
    ["en,de,de-AT", "", "de-AT", ["de-AT", "de"]],
    ["EN, DE, de-at", "", "de-AT", ["de-AT", "de"]],
    ["de,de-AT,en", "", "de-AT", ["de-AT"]],
    ["en,zh,zh-Hant,zh-Hant-TW", "", "zh-Hant-TW", ["zh-Hant-TW", "zh-Hant", "zh"]],
    ["en,zh,zh-Hant-TW", "", "zh-Hant-TW", ["zh-Hant-TW", "zh"]],
    ["en,de,de-AT,fr", "fr>de, de-at>fr", "de-AT", ["de-AT", "fr"]],
    ["en,de,de-AT,fr", "fr>de-AT>de>en", "fr", ["fr", "de-AT", "de"]],
    ["en,de", "", "en", []],
  ];
  for (const [locales, fallbacks, locale, chain] of cases)
    assert.deepEqual(read(locales, fallbacks)?.chains.get(locale), chain, `${locales} ${fallbacks}`);
  assert.equal(read(""), undefined);
});

test("what is no locale, twice there, or goes round stops the start with a sentence", () => {
  const cases: [locales: string, fallbacks: string, says: RegExp][] = [
    ["en,d", "", /locales: --locales was "en,d"; expected at most 50 language tags/],
    ["en,en_US", "", /locales: --locales was/],
    ["en,de,DE", "", /locales: --locales was/],
    [
      Array.from({ length: 51 }, (_, i) => `x${String.fromCharCode(97 + (i % 26))}${i < 26 ? "a" : "b"}`).join(),
      "",
      /at most 50/,
    ],
    ["en,de", "fr>de", /locale_fallbacks: "fr>de" names "fr"; expected locales of the setting locales: en, de/],
    ["en,de", "de", /locale_fallbacks: --locale-fallbacks was "de"; expected chains/],
    ["en,de,fr", "de>fr,fr>de", /"de" is reached from itself/],
    ["en,de", "de>de", /"de" is reached from itself/],
    ["en,de,fr,es", "de>fr,fr>es,es>de", /"de" is reached from itself/],
    ["en,de", "en>de", /goes on from the source "en"/],
    ["en,de,fr", "de>en>fr", /goes on from the source "en"/],
    ["en,de,fr", "de>fr,de>en", /"de" has two chains/],
    ["", "fr>de", /names "fr"/],
  ];
  for (const [locales, fallbacks, says] of cases)
    assert.throws(() => read(locales, fallbacks), says, `${locales} ${fallbacks}`);
});

test("an argument names a locale in any case", () => {
  const locales = read("en,de-AT");
  assert.ok(locales);
  assert.equal(parseLocale(locales, "DE-at"), "de-AT");
  assert.equal(parseLocale(locales, "EN"), "");
  for (const received of ["de", "", "x", "de_AT"])
    assert.throws(() => parseLocale(locales, received), /expected one of the locales en, de-AT/);
});
