import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { before, test } from "node:test";
import type { TokenInput } from "../../src/core/access/token.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import type { EntryInput } from "../../src/entry/entry.ts";
import { wayOf } from "../../src/search/way.ts";
import { localesOf } from "../../src/translation/locale.ts";
import { atEnd } from "../ending.ts";
import { type Reply, startWorld, temporaryFolder, type World } from "../harness.ts";
import { orLong } from "../long.ts";
import { workedMs } from "../processor-time.ts";

/**
 * Nobody learns from a search what he may not see: a store where nothing is hidden answers the same as its copy that is full of
 * what is, in the same time. Contract §25, Order.
 */

const flags = { locales: "en, de, fr" };
const by = { actor: "test", nowSeconds: 1000 };
const [shownCount, hiddenCount] = [60, orLong(600, 6000)];

let plain: Omit<World, "ready">;
let secret: Omit<World, "ready">;
const tokens: Record<string, string> = {};

const inputOf = (data: object, fields: EntryInput["fields"] = {}): EntryInput => ({
  ...{ data: JSON.stringify(data), isMergePatch: false, fields },
});
const wordsAt = (i: number): string =>
  ["solaris and the sea", "the moon of solaris", "a film", "tarkovsky"][i % 4] as string;

async function show({ app }: Omit<World, "ready">): Promise<void> {
  const { entries, translations } = app.stores;
  for (const top of ["open", "other"]) await entries.create(top as Slug, inputOf({ title: top }), by);
  for (let i = 0; i < shownCount; i++) {
    const id = `${i % 2 ? "open" : "other"}/e${i}` as Slug;
    const data = { title: `${wordsAt(i)} ${i}`, text: `on ${wordsAt(i + 1)}`, genre: `g${i % 3}` };
    await entries.create(id, inputOf(data, { publishedAt: 100 + (i % 7) }), by);
    if (i % 5 === 0)
      await translations.put(id, "de", { input: inputOf({ title: `Film ${i} solaris` }), name: undefined }, by);
  }
}

/** All that is not public, outside of what the preview shows: the same words, words near them, and words of its own. */
async function hide({ app }: Omit<World, "ready">): Promise<void> {
  const { entries, translations, staged } = app.stores;
  const data = (i: number) => ({
    title: `solaris ${wordsAt(i)} unheard`,
    text: `solarix solari moons filmed "secret phrase" ${"solaris sea moon film ".repeat(1 + (i % 3))}`,
    genre: `secret${i % 200}`,
  });
  for (let i = 0; i < hiddenCount; i++) {
    const fields = [{ visibility: "draft" }, { visibility: "hidden" }, { publishedAt: 4e9 }, {}][i % 4];
    const id = `other/secret${i}` as Slug;
    await entries.create(
      id,
      inputOf(data(i), { ...(fields as EntryInput["fields"]), ...(i % 4 === 3 && { visibility: "draft" }) }),
      by,
    );
    if (i % 4 !== 3) continue;
    await translations.restrict(id, ["fr"], by);
    await entries.update(id, inputOf({}, { visibility: "visible" }), by);
  }
  for (let i = 0; i < shownCount; i += 2) {
    const id = `other/e${i}` as Slug;
    if (i % 5 !== 0)
      await translations.put(id, "de", { input: inputOf(data(i), { visibility: "draft" }), name: undefined }, by);
    await staged.stage(
      id,
      { data: JSON.stringify(data(i)), isMergePatch: false, fields: {}, release: undefined } as never,
      by,
    );
  }
}

const setUp = async () => {
  const [one, other] = [temporaryFolder(), temporaryFolder()];
  const first = await startWorld({ data: one, ...flags }, {});
  await show(first);
  const only = { paths: ["open"] as Path[] };
  const kinds: [string, "delivery" | "preview", Partial<TokenInput>][] = [
    ["delivery", "delivery", {}],
    ["delivery of some paths", "delivery", only],
    ["preview of some paths", "preview", { ...only, expiresAt: Math.floor(Date.now() / 1000) + 3600 }],
  ];
  for (const [name, kind, more] of kinds) tokens[name] = (await first.issue(kind, ["entries"], more)).secret;
  await first.app.close();
  cpSync(one, other, { recursive: true });
  plain = await startWorld({ data: one, ...flags }, {});
  secret = await startWorld({ data: other, ...flags }, {});
  atEnd(() => Promise.all([plain.app.close(), secret.app.close()]));
  await hide(secret);
};
before(setUp);

const asks: Record<string, string>[] = [
  ...["solaris", "solrais", "sol", '"the moon"', "solaris -sea", "", "-solaris", "unheard", "solarix", "moons"].map(
    (q) => ({ q }),
  ),
  ...["solaris unheard", "unheard solaris", '"secret phrase"', "tarkovsky solari", "film secret"].map((q) => ({ q })),
  ...[
    { q: "solaris", facets: "genre,title" },
    { q: "", facets: "genre", limit: "5", offset: "3" },
  ],
  ...[
    { q: "moon", locale: "de" },
    { q: "solaris", locale: "de", locale_fallback: "off" },
    { q: "", locale: "de" },
  ],
  ...[
    { q: "film", id: "open" },
    { q: "film", id: "other", depth: "1" },
    { q: "solaris", "filter[where][key]": "genre", "filter[where][expr]": "eq", "filter[where][value]": "g1" },
  ],
];

/** All of a reply but the number of the request and the time. */
const seen = ({ status, headers, text }: Reply): unknown => [
  status,
  [...headers].filter(([name]) => !["date", "x-request-id"].includes(name)),
  text.replace(/"request_id":"\w+"/, ""),
];

const ask = (
  { send }: Omit<World, "ready">,
  token: string | undefined,
  query: Record<string, string>,
): Promise<Reply> => send("GET", "/api/delivery/entries/search", { query: { token: token ?? "", ...query } });

async function agree(): Promise<void> {
  for (const [name, token] of Object.entries(tokens))
    for (const query of asks) {
      const expected = await ask(plain, token, query);
      // What a delivery token of some paths may not search is there for none.
      assert.ok(expected.status === 200 || (expected.status === 404 && query.id === "other"), expected.text);
      assert.deepEqual(seen(await ask(secret, token, query)), seen(expected), `${name}: ${JSON.stringify(query)}`);
    }
}

test("what is hidden changes no answer, right after it was written and when it is indexed", async () => {
  await agree();
  const way = wayOf(localesOf({ locales: ["en", "de", "fr"], localeFallbacks: [] }), "");
  for (const { app } of [plain, secret]) await app.stores.searches.index(way);
  await agree();
});

const rounds = orLong(8, 40);

test(`what is hidden takes no time, ${rounds} times`, async () => {
  const worlds = { plain, secret };
  const times = new Map(Object.keys(worlds).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    // In turn, each time from the other one on: what else the machine does meets both.
    const turn = Object.entries(worlds);
    for (const [name, world] of round % 2 ? turn.toReversed() : turn) {
      const startedMs = workedMs();
      for (const query of asks) await ask(world, tokens.delivery, query);
      times.get(name)?.push(workedMs() - startedMs);
    }
  }
  // The lower quartile: what else the machine does only adds.
  const quartiles = [...times].map(
    ([name, all]) => [name, all.toSorted((a, b) => a - b)[rounds >> 2] as number] as const,
  );
  const [least, most] = [Math.min(...quartiles.map(([, ms]) => ms)), Math.max(...quartiles.map(([, ms]) => ms))];
  assert.ok(least > most * orLong(0.4, 0.7), quartiles.map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`).join(", "));
});
