import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../entry/entry.ts";
import { isListed, isReadable } from "../../entry/visibility.ts";
import type { Path } from "../path.ts";
import type { Problem } from "../problem.ts";
import { type Access, accessOf, asPublic, isOwnPreview, refuseAllLocales, refuseLocale } from "./access.ts";
import type { TokenKind } from "./token.ts";

const entry = (visibility: Entry["visibility"], publishedAt: number): Entry =>
  ({ visibility, publishedAt }) as unknown as Entry;
const entries = [entry("visible", 5), entry("hidden", 5), entry("visible", 50), entry("draft", 5)];

const sees = (access: Access): string[] => [
  entries.map((one) => (isReadable(one, access) ? "1" : "0")).join(""),
  entries.map((one) => (isListed(one, access) ? "1" : "0")).join(""),
];

const kinds: [kind: string, readable: string, listed: string, asPublic: string][] = [
  ["delivery", "1100", "1000", "1100"],
  ["management", "1111", "1111", "1100"],
  ["images", "0000", "0000", "0000"],
  ["access", "0000", "0000", "0000"],
  ["a kind of a newer version", "0000", "0000", "0000"],
  ["constructor", "0000", "0000", "0000"],
];
for (const [kind, readable, listed, publicly] of kinds) {
  test(`a token of the kind ${kind} reads ${readable} and lists ${listed} of visible, hidden, future, draft`, () => {
    const access = accessOf({ kind: kind as TokenKind }, 10);
    assert.deepEqual(sees(access), [readable, listed]);
    assert.equal(sees(asPublic(access))[0], publicly);
  });
}

test("a preview reads and lists drafts and the future", () => {
  assert.deepEqual(sees({ ...accessOf(undefined, 10), reads: "preview" }), ["1111", "1111"]);
});

test("locales are those of the token; what another has, or all, is refused", () => {
  const refusal = (access: Access, refuse: (access: Access) => void): string => {
    try {
      refuse(access);
      return "";
    } catch (error) {
      return String((error as Problem).params.needed);
    }
  };
  const of = (locales: string[] | null): Access => accessOf({ kind: "management", locales }, 10);
  const cases: [access: Access, locale: string | undefined, refusal: string][] = [
    [of(null), "de", ""],
    [of(null), undefined, ""],
    [accessOf({ kind: "management" }, 10), "de", ""],
    [of(["de", "fr"]), "de", ""],
    [of(["de", "fr"]), "en", "locales:en"],
    // Where there are no locales any more.
    [of(["de"]), undefined, "locales:all"],
  ];
  for (const [access, locale, expected] of cases)
    assert.equal(
      refusal(access, (one) => refuseLocale(one, locale)),
      expected,
    );
  assert.equal(refusal(of(["de"]), refuseAllLocales), "locales:all");
  assert.equal(refusal(of(null), refuseAllLocales), "");
});

test("without a token nothing is visible", () => {
  assert.deepEqual(sees(accessOf(undefined, 10)), ["0000", "0000"]);
});

test("a preview is of who reaches all that it shows", () => {
  const inside = ["up/in" as Path];
  const outside = ["other" as Path];
  const isOwn = (own: Path[] | null, paths: Path[] | null, kind: TokenKind = "preview") =>
    isOwnPreview({ ...accessOf({ kind: "management" }, 10), paths: own }, { kind, paths });
  assert.ok(isOwn(["up" as Path], inside));
  assert.ok(!isOwn(inside, outside));
  assert.ok(!isOwn(inside, [...inside, ...outside]));
  // Without paths it shows everything.
  assert.ok(!isOwn(inside, null));
  assert.ok(isOwn(null, null));
  assert.ok(!isOwn(null, inside, "delivery"));
});
