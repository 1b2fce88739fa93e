// Slow: it opens a store eighty times.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { makeStore, type Result, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";

/** The same command line on a store and, with --url, on a service: the same words and the same exit code. */

const folder = temporaryFolder();
const data = join(folder, "here");
const world = useWorld();

test.before(() => makeStore(data));

const tokens = () => ({ OCTAVO_TOKEN: world.token.management, OCTAVO_ACCESS_TOKEN: world.token.access });
const here = (words: string[], input = "") => runOctavo([...words, "--data", data], { cwd: folder, input });
const there = (words: string[], input = "", env: Record<string, string> = tokens()) =>
  runOctavo([...words, "--url", world.app.url], { cwd: folder, env, input });

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** Without what differs from store to store: times, secrets, hosts, and ids that are drawn. */
const common = ({ code, out, err }: Result) => ({ code, out: neutral(out), err: neutral(err) });
const neutral = (text: string): string =>
  text
    .replace(new RegExp(uuid, "g"), "<id>")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, "<time>")
    .replace(/(_at":\s*)\d{10}/g, "$1<time>")
    .replace(/oct_[a-z]_[\w-]+|(?:invite|reset)-[\w-]+/g, "<secret>")
    .replace(/"maker":"<id>",/g, "")
    .replace(/"created_by":"octavo"/g, '"created_by":"<id>"')
    .replace(/"etag":"[^,}]+"/g, '"etag":"<etag>"')
    .replace(/\/tmp\/[\w/-]+\/uploads\//g, "<uploads>/")
    .replace(/http:\/\/[\w.]+(?::\d+)?/g, "<host>");

const movie =
  '{"id": "movie", "title": "Film", "paths": ["movies/*"], "schema": {"properties": {"year": {"maximum": 1978.0}}}}';
const alien = { id: "movies/alien", data: { title: "Alien", year: 1979 } };
const operation = (body: object, path = "/api/entries") => JSON.stringify({ method: "POST", path, body });

/** Commands in order, with their standard input; `$` is the id that the last command before printed first. */
const lines: [line: string, input?: string][] = [
  ["token create --kind delivery --resources entries --label site --json"],
  ["token create --kind management --resources entries,files --paths blog --writes staged"],
  ["token create --kind access --expires never"],
  ["token create --kind preview --resources entries,files --paths blog --expires 2d --json"],
  ["token create --kind images --limit-calls 5"],
  ["token update $ --label other"],
  ["token update $"],
  ["token disable $"],
  ["token enable $ --json"],
  ["token rotate $"],
  ["token rotate oct_m_secret"],
  ["token revoke $"],
  ["token revoke $ --json"],
  ["people list"],
  ["people invite ada@example.org --role owner --json"],
  ["people list --json"],
  ["people role ADA@example.org editor"],
  ["people disable ada@example.org"],
  ["people enable nobody@example.org"],
  ["people reset ada@example.org"],
  ["release list"],
  ["release create Spring"],
  ["release publish $ --dry-run"],
  ["release publish $ --at soon"],
  ["release add $ movies/alien"],
  ["batch -", `${operation({ ...alien, titel: "ü" })}\n`],
  ["batch - --json", `${operation({ id: "a", data: {} })}\n\n${operation({ path: "new" }, "/api/folders")}`],
  ["batch - --dry-run", operation(alien)],
  ["batch -", `${operation({ id: "b", data: {} })}\n${operation(alien)}`],
  ["batch -", '{"method": "GET", "path": "/api/entries"}'],
  ["batch -", "{"],
  ["batch -", '{"method": "POST", "path": "/api/entries", "bodi": {}}'],
  ["batch - --json", '{"method": "POST", "path": "/api/entries", "body": {"id": "c"}}'],
  ["release add $ movies/alien"],
  ["release list"],
  ["release list --json"],
  ["release list $"],
  ["release list $ --json"],
  ["release publish $ --dry-run"],
  ["release publish $ --at 2040-01-15"],
  ["release remove movies/alien"],
  ["release publish $ --unschedule"],
  ["release remove movies/alien"],
  ["release remove movies/nothing"],
  ["release delete $"],
  ["release delete $ --json"],
  ["staged list"],
  ["staged publish movies/alien --at 2040-01-15 --json"],
  ["staged list --json"],
  ["staged discard movies/alien"],
  ["staged publish movies/alien --unschedule"],
  ["staged publish movies/alien --json"],
  ["types list"],
  ["types check"],
  ["types generate"],
  ["types check movie.json"],
  ["types check movie.json --json"],
  ["types put movie.json"],
  ["types put movie.json --json"],
  ["types put nowhere.json"],
  ["types put bad.json"],
  ["types list"],
  ["types list --json"],
  ["types get movie"],
  ["types get nothing"],
  ["types get Nothing --json"],
  ["types check"],
  ["types check --json"],
  ["types check --after a//b"],
  ["types generate"],
  ["types generate --check"],
  ["batch -", operation({ id: "movies/late", data: { year: 1999 } })],
  ["types delete movie"],
  ["types delete movie --json"],
  ["trash list"],
  ["webhook list"],
  ["verify"],
  ["verify --json"],
];

test("a command on a service has the words and the exit code that it has on a store", async () => {
  writeFileSync(join(folder, "movie.json"), movie);
  writeFileSync(join(folder, "bad.json"), JSON.stringify({ id: "bad", schema: { type: "x" } }));
  const last = { here: "", there: "" };
  const different: object[] = [];
  const idIn = ({ out }: Result, before: string): string => uuid.exec(out)?.[0] ?? before;
  for (const [line, input] of lines) {
    const run = (id: string): string[] => line.split(" ").map((word) => word.replace("$", id));
    const [one, other] = [await here(run(last.here), input), await there(run(last.there), input)];
    if (!isDeepStrictEqual(common(one), common(other)))
      different.push({ line, one: common(one), other: common(other) });
    Object.assign(last, { here: idIn(one, last.here), there: idIn(other, last.there) });
  }
  assert.deepEqual(different, []);
});
