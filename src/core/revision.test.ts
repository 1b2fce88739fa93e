import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRevision, refuseOtherRevision } from "./revision.ts";

const revision = 46_655; // "zzz"

const matching = [undefined, "*", " * ", '"zzz"', 'W/"zzz"', '"zzz-abc"', '"a", "zzz"', '"a,b",W/"zzz-gzip"'];
const other = ["", "zzz", '"zz"', '"zzzz"', '"ZZZ"', '"zz z"', '"-zzz"', '"a-zzz"', '"zzz', "*, ", '""', "**"];

test("the revision is the prefix of each of its tags", () => assert.equal(formatRevision(revision), "zzz"));
for (const ifMatch of matching) {
  test(`If-Match ${ifMatch} names the revision`, () => refuseOtherRevision(ifMatch, revision));
}
for (const ifMatch of other) {
  test(`If-Match ${JSON.stringify(ifMatch)} does not`, () => {
    assert.throws(() => refuseOtherRevision(ifMatch, revision), {
      code: "revision_mismatch",
      message: /"If-Match" was/,
    });
  });
}
