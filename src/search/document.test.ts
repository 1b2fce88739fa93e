import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, parseJson } from "../core/lib/json.ts";
import { usualWeight } from "../type/weight.ts";
import { fieldsOf } from "./document.ts";

/** Which texts of an entry are searched. Contract §25, What is searched. */

const data = parseJson(
  JSON.stringify({
    title: "Dune",
    year: 1965,
    fieldset: "book",
    author: { name: "Frank Herbert", born: { place: "Tacoma" } },
    tags: ["science fiction", "desert", 3, null],
    blocks: [{ text: "one" }, [{ text: "two" }]],
    secret: "unseen",
    file: "my_photo.jpg",
  }),
) as JsonObject;

const fields = fieldsOf(data, {
  weightOf: (key) => (key === "secret" ? 0 : usualWeight(key)),
  localeOf: (key) => (key === "author" ? "de" : ""),
  isName: (key) => key === "file",
});

test("strings at any depth are searched by their place, numbers and the name of the type are not", () => {
  assert.deepEqual(
    fields.map(({ name, key, weight }) => [name, key, weight]),
    [
      ["title", "title", 4],
      ["author.name", "author.name", 1],
      ["author.born.place", "author.born.place", 1],
      ["tags.0", "tags", 1],
      ["tags.1", "tags", 1],
      ["blocks.0.text", "blocks.text", 1],
      ["blocks.1.0.text", "blocks.text", 1],
      ["file", "file", 1],
    ],
  );
});

test("a text is of the locale of its key of the data itself", () => {
  assert.deepEqual(
    fields.filter(({ locale }) => locale === "de").map(({ name }) => name),
    ["author.name", "author.born.place"],
  );
});

test("names of files are cut at their signs", () => {
  assert.deepEqual(
    fields.at(-1)?.words.map(({ word }) => word),
    ["my", "photo", "jpg"],
  );
});
