import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { runOctavo } from "../cli/octavo.ts";
import { openDatabase } from "../database.ts";
import { temporaryFolder } from "../harness.ts";
import { type OldStore, oldStores } from "../old-store.ts";
import { later, StoreActs } from "./store-acts.ts";
import { type Places, readEverything } from "./store-reads.ts";
import { atTime, envOf, type Mask, type Place, StoreSite, uuidsIn } from "./store-site.ts";

/** Stores of earlier versions, at any place, and all that they answer. */

export const stores = Object.keys(oldStores) as OldStore[];

/** The uuids that the store has, and the time of its newest event. */
export function factsOf(data: string): { ids: Set<string>; newest: number } {
  const store = openDatabase(data, true);
  try {
    const names = store
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all();
    const rows = names.flatMap(({ name }) => store.prepare(`SELECT * FROM ${name}`).all());
    const { newest } = store.prepare("SELECT max(at) AS newest FROM event").get() as { newest: number };
    return { ids: new Set(rows.flatMap((row) => uuidsIn(Object.values(row).join(" ")))), newest };
  } finally {
    store.close();
  }
}

export type Facts = ReturnType<typeof factsOf>;
export type Answers = ReadonlyMap<string, string>;

/** Every answer of the store at the place: reads, further acts, the reads again, and those of 2100. It is in order then. */
export async function judge(name: OldStore, place: Place, { newest }: Facts, mask: Mask): Promise<Answers> {
  const answers = await atTime(newest + 3600, async (clock) => {
    const site = await StoreSite.open(place, clock, mask);
    try {
      await askEverything(name, site);
      return site.answers;
    } finally {
      await site.close();
    }
  });
  await run(["verify"], place);
  return answers;
}

async function askEverything(name: OldStore, site: StoreSite): Promise<void> {
  const places: Places = {};
  const acts = new StoreActs(site.ask);
  // Previews have expired by 2100.
  const readers = ["delivery", "preview", "release"].filter((who) => site.has(who));
  site.chapter = "1 as it was: ";
  await readEverything(site.ask, places, readers);
  site.chapter = "2 acts: ";
  if (name === "0.3.0") await acts.everything();
  await acts.films();
  site.chapter = "3 after them: ";
  await readEverything(site.ask, places, readers);
  site.chapter = "4 in 2100: ";
  await site.passTo(later + 3600);
  await readEverything(site.ask, places, ["delivery"]);
}

async function run(words: string[], place: Place): Promise<void> {
  const cwd = dirname(place.data);
  const { code, err } = await runOctavo([...words, "--data", place.data], { cwd, env: envOf(place) });
  assert.equal(code, 0, `octavo ${words.join(" ")}: ${err}`);
}

/** Writes a backup by this program, and returns its file. */
export async function backUp(place: Place): Promise<string> {
  const file = join(dirname(place.data), "backup.tar");
  await run(["backup", "--force", file], place);
  return file;
}

export function emptyFolder(): string {
  const data = join(temporaryFolder(), "data");
  mkdirSync(data, { mode: 0o711 });
  return data;
}

/** A new store with what a backup has, and the secrets of its tokens. */
export async function restored(backup: string, original: string, postgresUrl?: string): Promise<Place> {
  const place: Place = { data: emptyFolder(), ...(postgresUrl && { postgresUrl }) };
  await run(["restore", backup], place);
  const secrets = join(original, "tokens.json");
  if (existsSync(secrets)) copyFileSync(secrets, join(place.data, "tokens.json"));
  return place;
}
