import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorld, temporaryFolder } from "../../test/harness.ts";
import { random } from "../../test/random.ts";

/** Lists in a locale: from the indexes, and what they have is what reads by id answer. Contract §24, Reads in a locale. */

type Data = Record<string, unknown>;
type World = Awaited<ReturnType<typeof startWorld>>;
const url = "/api/entries/translations";
const words = ["Ahorn", "birke", "Zeder", "Linde 2", "Linde 10", "Ulme", "Eiche"];
const locales = ["en", "de", "de-AT", "fr"];

const write = async ({ send, token }: World, method: string, path: string, body: object) => {
  const reply = await send(method, path, { body: { token: token.management, access_token: token.access, ...body } });
  assert.ok(reply.status < 300, reply.text);
};
const read = async ({ send, token }: World, query: Record<string, string>, by: "delivery" | "management") => {
  const reply = await send("GET", "/api/entries", { query: { token: token[by], ...query } });
  assert.equal(reply.status, 200, reply.text);
  return reply;
};

const next = random(7);
const one = <T>(list: readonly T[]): T => list[next(list.length)] as T;
const count = 40;
/** The changes before it hide nothing: there each public list is what public reads by id answer. */
const firstHidden = 180;

async function change(world: World, i: number): Promise<void> {
  const id = `l/${i % count}`;
  const data = { title: one(words), tags: [one(words)], seo: { title: one(words), n: next(4) } };
  const some = Object.fromEntries(Object.entries(data).filter(() => next(10) < 6));
  const visibility = next(10) < 2 ? (i < firstHidden ? "draft" : one(["draft", "hidden"])) : "visible";
  const chance = next(100);
  if (i < count) await write(world, "POST", "/api/entries", { id, data: { ...data, shared: i } });
  else if (chance < 20) await write(world, "PATCH", "/api/entries", { id, data: some });
  else if (chance < 90)
    await write(world, "PATCH", url, { id, locale: one(locales.slice(1)), data: { ...some, visibility } });
  else if (chance < 95) await write(world, "PATCH", "/api/entries/staged", { id, locale: "de", data: some });
  else await write(world, "PUT", "/api/entries/copy", { id, new_id: `l/copy-${i}` });
}

/** What each list must be, of the answers by id. */
async function compare(world: World): Promise<void> {
  const { json } = await read(world, { id: "l", "filter[only][0]": "slug", "filter[limit]": "500" }, "management");
  const ids = (json.data as unknown as Data[]).map(({ slug }) => String(slug));
  for (const locale of ["", ...locales]) {
    for (const by of ["delivery", "management"] as const) {
      const inLocale: Record<string, string> = locale === "" ? {} : { locale };
      const all = await Promise.all(
        ids.map(async (id) => (await read(world, { id, ...inLocale }, by)).json.data as Data),
      );
      // A hidden translation is read by id alone.
      const isShown = by === "management" || !(await hiddenIn(world, locale));
      const lists: [query: Record<string, string>, isMatch: (entry: Data) => boolean][] = [
        [
          { "filter[where][0][key]": "title", "filter[where][0][expr]": "eq", "filter[where][0][value]": "Ulme" },
          ({ title }) => title === "Ulme",
        ],
        [
          { "filter[where][0][key]": "title", "filter[where][0][expr]": "neq", "filter[where][0][value]": "Ulme" },
          ({ title }) => title !== "Ulme",
        ],
        [
          { "filter[where][0][key]": "seo.n", "filter[where][0][expr]": "gte", "filter[where][0][value]": "2" },
          ({ seo }) => (seo as { n: number }).n >= 2,
        ],
        [
          {
            "filter[where][0][key]": "tags",
            "filter[where][0][expr]": "member_of",
            "filter[where][0][value]": "Zeder",
          },
          ({ tags }) => (tags as string[]).includes("Zeder"),
        ],
        [{ "filter[search]": "eiche" }, ({ title, tags, seo }) => /Eiche/.test(JSON.stringify([title, tags, seo]))],
      ];
      if (!isShown) continue;
      for (const [query, isMatch] of lists) {
        const wanted = all
          .filter(isMatch)
          .map(({ slug }) => slug)
          .toSorted();
        const order = { "filter[order_by][field]": one(["title", "seo.title", "shared"]), "filter[limit]": "500" };
        const found = await read(world, { id: "l", ...inLocale, ...query, ...order }, by);
        const label = `${locale} ${by} ${JSON.stringify(query)}`;
        assert.deepEqual((found.json.data as unknown as Data[]).map(({ slug }) => slug).toSorted(), wanted, label);
        const counted = await read(world, { id: "l", ...inLocale, ...query, "filter[return]": "count" }, by);
        assert.equal(counted.json.data, wanted.length, label);
      }
      const query = {
        id: "l",
        ...inLocale,
        "filter[order_by][field]": "title",
        "filter[only][0]": "title",
        "filter[limit]": "500",
      };
      const sorted = (await read(world, query, by)).json.data as unknown as Data[];
      const folded = (title: unknown) => String(title).toLowerCase().replace("linde 2", "linde 02");
      const titles = sorted.map(({ title }) => folded(title));
      assert.deepEqual(titles, titles.toSorted(), `${locale} ${by}`);
      assert.deepEqual(titles, all.map(({ title }) => folded(title)).toSorted(), `${locale} ${by}`);
    }
  }
  assert.deepEqual(await world.app.stores.verify(), []);
}

/** Whether a public read by id differs from the list: where something is hidden in the locale itself. */
async function hiddenIn(world: World, locale: string): Promise<boolean> {
  if (locale === "" || locale === "en") return false;
  const { send, token } = world;
  for (let i = 0; i < count; i++) {
    const reply = await send("GET", url, { query: { token: token.management, id: `l/${i}` } });
    const rows = reply.json.data as unknown as Data[];
    if (rows.some((row) => row.locale === locale && row.visibility === "hidden")) return true;
  }
  return false;
}

test("lists in each locale are what reads by id answer, also with other locales after a start", async () => {
  const data = temporaryFolder();
  const settings = { data, "uploads-tree": "off", locales: locales.join() };
  let world = await startWorld(settings, {});
  try {
    for (let i = 0; i < firstHidden; i++) await change(world, i);
    await compare(world);
    for (let i = firstHidden; i < 240; i++) await change(world, i);
    await compare(world);
    const { send, token } = world;
    for (const locale of ["de", "en"]) {
      const query = {
        token: token.management,
        id: "l",
        locale,
        "filter[order_by][field]": "title",
        "filter[limit]": "5",
      };
      const reply = await send("GET", "/api/entries", { query });
      assert.match(reply.headers.get("server-timing") ?? "", /order by index \(title\)/, locale);
    }
    await world.app.close();
    const again = await startWorld({ ...settings, locales: "en,fr,de", "locale-fallbacks": "fr>de" }, {});
    world = { ...again, token: { ...again.token } };
    assert.deepEqual(await world.app.stores.verify(), []);
    const titlesOf = async (locale: string) =>
      (
        (await read(world, { id: "l", locale, "filter[order_by][field]": "title", "filter[limit]": "500" }, "delivery"))
          .json.data as unknown as Data[]
      ).map(({ title }) => title);
    const source = await titlesOf("en");
    assert.notDeepEqual(await titlesOf("fr"), source);
    await world.app.close();
    world = await startWorld({ data, "uploads-tree": "off" }, {});
    assert.deepEqual(await world.app.stores.verify(), []);
  } finally {
    await world.app.close();
  }
});
