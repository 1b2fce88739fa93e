import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { closing } from "../../test/ending.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";
import { build } from "../app.ts";
import { readSettings } from "../settings.ts";

/** octavo translations: files of translators, over a store and over a service. */

const world = useWorld({ locales: "en,de" });
const cwd = temporaryFolder();
const data = join(cwd, "data");

const env = { OCTAVO_DATA: data, OCTAVO_LOCALES: "en,de" };
const octavo = (words: string[], input = "") => runOctavo(words, { cwd, env, input });
const file = join(cwd, "de.xliff");

test("a store writes a file, takes it back translated, and names what it left", async () => {
  await makeStore(data);
  const created = await octavo(["call", "POST", "/api/entries", "id=a", "data[title]=Hello", "data[text]=Text"]);
  assert.equal(created.code, 0, created.err);
  const { code, out, err } = await octavo(["translations", "export", "de", "de.xliff", "--id", "a"]);
  assert.deepEqual([code, out, err], [0, "", ""]);
  assert.deepEqual(
    readdirSync(cwd).filter((name) => name.includes(".part")),
    [],
  );
  const text = readFileSync(file, "utf8");
  const piped = await octavo(["translations", "export", "DE", "-", "--state", "missing"]);
  assert.equal(piped.out, text);
  assert.match((await octavo(["translations", "export", "de", "-", "--xliff", "1.2"])).out, /version="1.2"/);
  const done = text.replace("<source>Hello</source>", "<source>Hello</source><target>Hallo</target>");
  writeFileSync(file, done);
  assert.equal(
    (await octavo(["translations", "import", "de.xliff"])).out,
    "1 texts are staged, 0 were there already.\n",
  );
  const again = await octavo(["translations", "import", "-", "--json"], done);
  assert.deepEqual(JSON.parse(again.out), {
    applied: 0,
    unchanged: 1,
    outdated: [],
    partial: [],
    unknown: [],
    refused: [],
  });
  await octavo(["call", "PATCH", "/api/entries", "id=a", "data[title]=Hello!"]);
  const left = await octavo(["translations", "import", "de.xliff"]);
  assert.match(left.out, /^0 texts .*\na \/title: its source has changed since the export\n$/);
});

test("what cannot be written, read or done is told in a sentence", async () => {
  const cases: [words: string[], code: number, err: RegExp][] = [
    [["import", "nowhere.xliff"], 2, /FILE was "nowhere.xliff", which cannot be read/],
    [["export", "de", "none/de.xliff"], 1, /none\/de.xliff cannot be written/],
    [["export", "es", "-"], 1, /"locale" was "es"/],
    [["export", "de", "-", "--state", "staged"], 1, /"state" was "staged"/],
  ];
  for (const [words, code, expected] of cases) {
    const said = await octavo(["translations", ...words]);
    assert.equal(said.code, code, said.err);
    assert.match(said.err, expected);
  }
});

test("with --url it is the service", async () => {
  const { management, access } = world.token;
  const remote = (...words: string[]) =>
    runOctavo(["translations", ...words, "--url", world.app.url], {
      cwd,
      env: { OCTAVO_TOKEN: management, OCTAVO_ACCESS_TOKEN: access },
    });
  await world.send("POST", "/api/entries", {
    body: { token: management, access_token: access, id: "u", data: { title: "World" } },
  });
  assert.equal((await remote("export", "de", "url.xliff", "--id", "u")).code, 0);
  const name = join(cwd, "url.xliff");
  writeFileSync(
    name,
    readFileSync(name, "utf8").replace("</source></segment>", "</source><target>Welt</target></segment>"),
  );
  const imported = await remote("import", "url.xliff");
  assert.equal(imported.out, "1 texts are staged, 0 were there already.\n", imported.err);
  assert.match((await remote("export", "es", "-")).err, /"locale" was "es"/);
});

test("a store does not start with another source than that of its translations, until a command says that it is right", async () => {
  const own = join(cwd, "source");
  const serve = (locales: string) =>
    build(readSettings({ flags: { data: own, locales, port: "0", log: "off" }, env: {}, file: undefined }));
  const started = async (locales: string) =>
    closing(serve(locales), async ({ stores }) => stores.translations.source());
  assert.deepEqual(await started("fr,de"), { locale: "fr", hasTranslations: false });
  assert.deepEqual(await started("en,de,fr"), { locale: "en", hasTranslations: false });
  const run = (...words: string[]) => runOctavo(words, { cwd, env: { OCTAVO_DATA: own, OCTAVO_LOCALES: "en,de" } });
  await run("call", "POST", "/api/entries", "id=a", "data[title]=Hello");
  await run("call", "PATCH", "/api/entries/translations", "id=a", "locale=de", "data[title]=Hallo");
  assert.deepEqual(await started("en,fr"), { locale: "en", hasTranslations: true });
  await assert.rejects(
    serve("en-GB,de"),
    /^Error: locales begins with en-GB, .* against en: .*run octavo translations source en-GB$/,
  );
  assert.match((await run("translations", "source", "not a locale")).err, /LOCALE was "not a locale"/);
  assert.equal((await run("translations", "source", "en-gb")).out, "The source is en-GB.\n");
  assert.deepEqual(await started("en-GB,de"), { locale: "en-GB", hasTranslations: true });
  const doctor = async (locales: string) =>
    (await runOctavo(["doctor", "--data", own], { cwd, env: { OCTAVO_LOCALES: locales, OCTAVO_PORT: "0" } })).out;
  assert.match(await doctor("en-GB,fr"), /database +translations that nobody reads, .*: 1 into de$/m);
  assert.doesNotMatch(await doctor("en-GB,de"), /nobody reads/);
});
