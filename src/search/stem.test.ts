import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fc } from "../../test/fast-check.ts";
import { hasStemmer, loadStemmers, stemOf } from "./stem.ts";
import { foldWord } from "./word.ts";

before(() => loadStemmers(["de"]));

test("forms of a word have one stem in their language, folded", () => {
  const cases: [language: string, forms: string[], stem: string][] = [
    ["en", ["connect", "Connected", "connecting", "CONNECTIONS"], "connect"],
    ["en", ["dog", "dogs", "dog's", "dog’s"], "dog"],
    ["en", ["file_names", "file\\_name"], "file_nam"],
    ["de", ["Haus", "Häuser", "Häusern", "HÄUSER", "Ha\u0308user", "Häu\u00adser"], "haus"],
    ["fr", ["école", "écoles", "ÉCOLE", "l’école", "l'école"], "ecol"],
    ["es", ["canción", "canciones"], "cancion"],
    ["ru", ["ёлка", "ёлки", "елкой"], "елк"],
    ["sv", ["flicka", "flickor", "flickorna"], "flick"],
    ["nb", ["dagene", "dager"], "dag"],
    ["nn", ["dagene", "dager"], "dag"],
    ["hu", ["házak", "házakat"], "haz"],
    ["tr", ["kitaplar", "KİTAPLAR"], "kitap"],
  ];
  for (const [language, forms, stem] of cases)
    for (const form of forms) assert.equal(stemOf(form, language), stem, `${language}: ${form}`);
});

test("without a stemmer of its language a word is its own stem", () => {
  for (const language of ["", "ja", "zh", "xx", "constructor"]) {
    assert.equal(stemOf("Häuser", language), "hauser", language);
    assert.equal(hasStemmer(language), false, language);
  }
  assert.equal(stemOf("東京", "en"), "東京");
  const data = `${"ab".repeat(60)}ing`;
  assert.equal(stemOf(data, "en"), data);
});

const languages =
  "ar hy eu ca cs da nl en eo et fi fr de el hi hu id ga it lt ne no fa pl pt ro ru sr st es sv ta tr yi nb nn".split(
    " ",
  );

test("any word has a folded stem in every language", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 30 }), fc.constantFrom(...languages), (text, language) => {
      assert.ok(hasStemmer(language));
      const stem = stemOf(text, language);
      assert.equal(stem, foldWord(stem));
      assert.equal(stem === "", foldWord(text) === "");
    }),
    { numRuns: 5_000 },
  );
});
