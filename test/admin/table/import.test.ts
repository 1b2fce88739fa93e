import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../../admin/src/api/entry.ts";
import type { FilterField } from "../../../admin/src/model/filter/filter-field.ts";
import { parseCsv, textOfBytes } from "../../../admin/src/model/table/csv.ts";
import { allColumns, csvOf } from "../../../admin/src/model/table/export.ts";
import { mappingOf, ownTargets, rowsOf } from "../../../admin/src/model/table/import.ts";
import { fc } from "../../fast-check.ts";

/** Tables of entries as texts, and what their cells say. */

const cells = (text: string) => parseCsv(text).map((row) => row.cells);

test("commas, semicolons and tabs separate cells; quotes keep them and line breaks; lines are counted", () => {
  assert.deepEqual(cells('a,b\r\n"1,2","say ""hi"""\r\n'), [
    ["a", "b"],
    ["1,2", 'say "hi"'],
  ]);
  assert.deepEqual(cells("a;b\n1,5;2"), [
    ["a", "b"],
    ["1,5", "2"],
  ]);
  assert.deepEqual(cells("\uFEFFa\tb\n1\t2\n"), [
    ["a", "b"],
    ["1", "2"],
  ]);
  assert.deepEqual(
    parseCsv('a\n"1\n2"\n\n3').map(({ line }) => line),
    [1, 2, 5],
  );
  assert.equal(textOfBytes(new Uint8Array([0xfc]).buffer), "ü", "what is no UTF-8 is of old Windows");
});

test("texts of an export come back by an import, whatever they begin with", () => {
  const text = fc.string({ unit: fc.constantFrom(...`'="+-@,;\t\r\n aü😀`) });
  fc.assert(
    fc.property(text, (title) => {
      const entry = { slug: "a/b", title } as unknown as Entry;
      const [heads, ...rows] = parseCsv(csvOf([entry], allColumns([entry])));
      const mapping = mappingOf(heads?.cells ?? [], ownTargets, true);
      const [row] = rowsOf(rows, mapping, ownTargets, "a");
      assert.equal(row?.id, "a/b");
      // An empty cell says nothing.
      assert.equal(row?.data.title ?? "", title);
    }),
  );
});

test("cells are values of their fields, or are named", () => {
  const options = [
    { value: "n", label: "News" },
    { value: "true", label: "Yes" },
    { value: "2024", label: "Year", isText: true },
  ];
  const fields: FilterField[] = [
    ...ownTargets,
    { key: "size", name: "Size", kind: "number" },
    { key: "kind", name: "Kind", kind: "choice", options },
    { key: "tags", name: "Tags", kind: "choices" },
    { key: "day", name: "Day", kind: "day" },
    { key: "origin.country", name: "Country", kind: "text" },
    { key: "origin.city", name: "City", kind: "text" },
  ];
  const heads = ["id", "State", "Publish date", "Size", "KIND", "Tags", "Day", "Country", "City", "unknown"];
  const mapping = mappingOf(heads, fields, true);
  assert.deepEqual(mapping.slice(0, 3), ["slug", "visibility", "published_at"]);
  assert.equal(mapping.at(-1), "", "a type has no other fields");
  const read = (...row: string[]) => rowsOf([{ line: 2, cells: row }], mapping, fields, "")[0];
  assert.deepEqual(
    read("x/y", "Public", "2026-07-01T08:00:00Z", "1,5", "yes", "a, b", "2026-07-01", "PL", "Łódź", "z"),
    {
      ...{ line: 2, id: "x/y", faults: [] },
      data: {
        ...{ visibility: "visible", published_at: 1_782_892_800, size: 1.5, kind: true, tags: ["a", "b"] },
        ...{ day: "2026-07-01", origin: { country: "PL", city: "Łódź" } },
      },
    },
  );
  assert.equal(read("x", "", "", "", "2024")?.data.kind, "2024", "a choice that is a text stays one");
  const odd = read("x", "gone", "soon", "many", "Poem", "", "1 July");
  assert.equal(odd?.faults.length, 5);
  const either = read("x", "", "", "1,234");
  assert.deepEqual(
    either?.faults,
    ["Size: “1,234” does not fit"],
    "a thousand to some, a little more than one to others",
  );
  const twice = rowsOf(
    [
      { line: 2, cells: ["a"] },
      { line: 3, cells: ["a"] },
    ],
    mapping,
    fields,
    "p",
  );
  assert.deepEqual(twice[1]?.faults, ["It has the id of line 2"]);
});
