import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAll, Problem, problem, problems } from "./problem.ts";
import { quote } from "./problem-row.ts";

const quoted: [text: string, shown: string][] = [
  ["", '""'],
  ['say "x"\n', '"say \\"x\\"\\n"'],
  ["x".repeat(80), `"${"x".repeat(80)}"`],
  ["x".repeat(81), `"${"x".repeat(80)}…"`],
  ["\ud800", '"\ufffd"'],
  // Truncation does not split a surrogate pair.
  [`${"x".repeat(79)}\u{1f600}`, `"${"x".repeat(79)}\ufffd…"`],
];
for (const [text, shown] of quoted) {
  test(`${JSON.stringify(text.slice(0, 20))} of ${text.length} is shown as well-formed text`, () => {
    assert.equal(quote(text), shown);
    assert.ok(quote(text).isWellFormed());
  });
}

const refuse = (argument: string) => () => {
  throw problem("argument_missing", { argument, accepted: "a text" });
};

test("a problem has its kind, title and sentence from the catalogue", () => {
  const found = problem("path_invalid", { argument: "id", received: "a//b", rule: "no empty segment" });
  assert.deepEqual([found.code, found.kind, found.title], ["path_invalid", "invalid", "Path invalid"]);
  assert.equal(found.message, '"id" was "a//b"; no empty segment');
});

test("passing checks return their results in order", () => {
  assert.deepEqual(
    checkAll(
      () => 1,
      () => undefined,
      () => "b",
    ),
    [1, undefined, "b"],
  );
});
test("all faults are reported at once, the first one leading; a single one alone", () => {
  const caught = (work: () => unknown): Problem => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof Problem);
      return error;
    }
    return assert.fail("no check failed");
  };
  assert.deepEqual(caught(() => checkAll(() => 1, refuse("a"))).errors, []);
  const several = caught(() => checkAll(refuse("a"), () => 1, refuse("b")));
  assert.match(several.message, /^"a"/);
  assert.deepEqual(
    several.errors.map(({ detail }) => detail.slice(0, 3)),
    ['"a"', '"b"'],
  );
  // Nested checks give one list.
  const nested = caught(() => checkAll(() => checkAll(refuse("a"), refuse("b")), refuse("c")));
  assert.equal(nested.errors.length, 3);
  assert.deepEqual(problems([nested]), nested);
});
test("an error that is not a problem is rethrown", () => {
  assert.throws(
    () =>
      checkAll(refuse("a"), () => {
        throw new TypeError("a bug");
      }),
    TypeError,
  );
});
