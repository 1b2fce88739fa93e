import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { js2xliff, jsToXliff12, xliff2js, xliff12ToJs } from "xliff";
import { makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

/** The commands of docs/translators.md; between them a translator's program, as the library xliff reads and writes. */

const page = readFileSync(new URL("../../docs/translators.md", import.meta.url), "utf8");
const lines = [...page.matchAll(/```sh\n([\s\S]+?)```/g)].flatMap(([, block = ""]) => block.trim().split("\n"));

type Text = string | (string | object)[];
type Unit = { source: Text; target?: Text };
type File = { resources: Record<string, Record<string, Unit>> };

const shout = (text: Text): Text =>
  typeof text === "string"
    ? text.toUpperCase()
    : text.map((part) => (typeof part === "string" ? part.toUpperCase() : part));

/** Translates every unit of the file, as a program that keeps what the library keeps. */
async function translate(name: string, is12: boolean): Promise<void> {
  const text = readFileSync(name, "utf8");
  const file = (await (is12 ? xliff12ToJs(text) : xliff2js(text))) as unknown as File;
  for (const unit of Object.values(file.resources).flatMap((units) => Object.values(units)))
    unit.target = shout(unit.source);
  writeFileSync(name, (await (is12 ? jsToXliff12 : js2xliff)(file as never)) as unknown as string);
}

for (const is12 of [true, false])
  test(`every command of the guide works in order, with a program for XLIFF ${is12 ? "1.2" : "2.1"}`, async () => {
    const cwd = temporaryFolder();
    const [first = "", ...rest] = lines;
    const [, locales = ""] = /^export OCTAVO_LOCALES=(.+)$/.exec(first) ?? [];
    const env = { OCTAVO_DATA: join(cwd, "data"), OCTAVO_LOCALES: locales };
    const run = async (line: string) => {
      const { code, out, err } = await runOctavo(line.split(" "), { cwd, env });
      assert.equal(code, 0, `${line}: ${err}`);
      return out;
    };
    await makeStore(env.OCTAVO_DATA);
    await run("call POST /api/entries id=blog data[title]=Blog");
    await run(
      "call POST /api/entries id=blog/hello data[title]=Hello data[content]=See_`code`_and_[this](https://example.org/a).",
    );
    const said: Record<string, string> = {};
    for (const line of rest) {
      const words = line.replace(/^npx octavo /, "");
      const isExport = words.startsWith("translations export");
      said[words] = await run(isExport && is12 ? `${words} --xliff 1.2` : words);
      const [, name] = /export de (\S+)/.exec(words) ?? [];
      if (name === "de.xliff") await translate(join(cwd, name), is12);
    }
    assert.equal(said["translations import de.xliff"], "3 texts are staged, 0 were there already.\n");
    const live = said["call GET /api/delivery/entries id=blog/hello locale=de"] ?? "";
    assert.match(live, /SEE_`code`_AND_\[THIS\]\(https:\/\/example.org\/a\)/);
    assert.match(live, /"HELLO"/);
    const outdated = said["call GET /api/entries/translations/list id=blog locale=de state=outdated"] ?? "";
    assert.match(outdated, /"outdated": ?\[\s*"title"\s*\]/);
    assert.match(readFileSync(join(cwd, "changes.xliff"), "utf8"), /Hello-again/);
    assert.doesNotMatch(await run("call GET /api/entries/translations/list id=blog locale=de state=outdated"), /blog/);
  });
