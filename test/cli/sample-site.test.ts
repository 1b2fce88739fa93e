import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parsePathBelowRoot } from "../../src/core/path.ts";
import { demoLocales, fillSite, sampleSite } from "../../src/demo.ts";
import { readSettings } from "../../src/settings.ts";
import { openStores, type Stores } from "../../src/stores.ts";
import { closing } from "../ending.ts";
import { temporaryFolder } from "../harness.ts";
import { makeStore, runOctavo } from "./octavo.ts";

/** The folder of the sample site: what a first start writes is what `octavo import` reads of it. */

const folder = new URL("../../assets/demo/", import.meta.url).pathname;
const site = sampleSite();
const entries = (stores: Stores) =>
  Promise.all(site.entries.map(async (id) => stores.entries.find(parsePathBelowRoot("id", id))));
const files = (stores: Stores) =>
  Promise.all(site.files.map(async (path) => stores.files.find(parsePathBelowRoot("path", path))));
const locales = demoLocales.join();
const openData = (data: string) => openStores(readSettings({ flags: { data, locales }, env: {}, file: undefined }));
const translations = (stores: Stores) =>
  Promise.all(
    site.entries.map(async (id) => {
      const { translations: [made] = [] } = (await stores.translations.find(parsePathBelowRoot("id", id))) ?? {};
      return made && [made.locale, made.name, made.data, made.visibility];
    }),
  );

test("site.json names every entry and file of the folder", () => {
  const entryFiles = globSync("entries/**/entry.md", { cwd: folder });
  assert.deepEqual(entryFiles.sort(), site.entries.map((id) => `entries/${id}/entry.md`).sort());
  const pictures = globSync("uploads/**/*.jpg", { cwd: folder });
  assert.deepEqual(pictures.sort(), site.files.map((path) => `uploads/${path}`).sort());
  for (const id of Object.keys(site.days_until_live)) assert.ok(site.entries.includes(id), id);
});

test("octavo import takes the same entries and files of it, without a note", async () => {
  const data = temporaryFolder();
  await makeStore(data);
  const words = ["import", folder, "--json", "--locales", locales, "--data", data];
  const { code, out, err } = await runOctavo(words, { cwd: data });
  assert.equal(code, 0, err);
  const report = JSON.parse(out);
  assert.deepEqual([report.entries.created, report.files.created], [site.entries.length, site.files.length]);
  assert.deepEqual([report.refused, report.notes, report.conflicts], [[], [], []]);
  assert.deepEqual(
    report.not_taken.map(({ from }: { from: string }) => from),
    ["site.json"],
  );
  await closing(openData(data), (imported) =>
    closing(openData(join(data, "filled")), async (filled) => {
      await fillSite(filled, Math.floor(Date.now() / 1000), demoLocales);
      const staged = site.entries.map((id) => site.staged_translations.includes(id));
      // Nothing that is imported is a working copy.
      const withoutStaged = (await translations(imported)).map((each, at) => (staged[at] ? undefined : each));
      assert.deepEqual(withoutStaged, await translations(filled));
      for (const [at, entry] of (await entries(filled)).entries()) {
        const other = (await entries(imported))[at];
        assert.ok(entry && other, site.entries[at]);
        assert.deepEqual([other.data, other.visibility], [entry.data, entry.visibility], entry.slug);
      }
      for (const [at, file] of (await files(filled)).entries()) {
        const other = (await files(imported))[at];
        assert.ok(file && other, site.files[at]);
        for (const key of ["title", "description", "meta", "hash", "type"] as const)
          assert.equal(other[key], file[key], `${file.path}: ${key}`);
      }
    }),
  );
});
