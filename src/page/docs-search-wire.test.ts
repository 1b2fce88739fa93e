import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { guides } from "../../api-docs/page.ts";
import { keywordsOf } from "../../api-docs/section.ts";
import { useWorld } from "../../test/harness.ts";

/** What a search of /docs finds first: guides by their keywords, reference rows by their names. */

const world = useWorld();

/** The addresses that a search answers, in their order. */
async function found(words: string): Promise<string[]> {
  const { status, text } = await world.send("GET", "/docs/search", { query: { q: words } });
  assert.equal(status, 200, words);
  const [, results = ""] = /<ol class="found">(.*)<\/ol>/s.exec(text) ?? [];
  return [...results.matchAll(/<li><a href="(\/docs[^"]*)">/g)].map(([, url = ""]) => url);
}

const pageOf = (url: string): string => url.split("#", 1)[0] as string;
const isGuide = (url: string): boolean => (guides[pageOf(url)]?.group ?? "Reference") !== "Reference";

/** Words of people who come from elsewhere, and the place that is to be among the first three. */
const asked: [words: string, place: string][] = [
  ["pagination", "/docs/queries#order-pages-counts"],
  ["staging", "/docs/faq#how-do-i-have-a-staging-environment"],
  ["backup", "/docs/operations#backup-and-restore"],
  ["reverse proxy", "/docs/operations#a-balancer"],
  ["OCTAVO_ACCESS_TOKEN", "/docs/elsewhere"],
  ["another machine", "/docs/elsewhere"],
  ["url", "/docs/elsewhere"],
  ["Reverse Proxy", "/docs/faq#how-do-i-put-it-behind-nginx-caddy-or-traefik"],
  ["HTTPS certificate", "/docs/server#4-tls"],
  ["docker", "/docs/container"],
  ["kubernetes", "/docs/container"],
  ["graphql", "/docs/faq#is-there-graphql"],
  ["i18n", "/docs/faq#how-do-i-have-texts-in-several-languages"],
  ["localization", "/docs/faq#how-do-i-have-texts-in-several-languages"],
  ["cors", "/docs/faq#does-it-answer-calls-from-a-browser-on-another-site"],
  ["api key", "/docs/faq#may-a-token-be-in-the-code-of-a-page"],
  ["rate limit", "/docs/faq#which-limits-are-there"],
  ["permissions", "/docs/people"],
  ["single sign-on", "/docs/operations#sign-in-at-an-issuer-and-mail"],
  ["forgotten password", "/docs/people#when-somebody-forgets-leaves-or-is-not-meant-to-write-any-more"],
  ["thumbnail", "/docs/pictures"],
  ["responsive images", "/docs/pictures"],
  ["populate", "/docs/queries#deeper-smaller-with-what-they-refer-to"],
  ["relations", "/docs/types#references"],
  ["schema", "/docs/types"],
  ["version history", "/docs/undo"],
  ["rollback", "/docs/undo"],
  ["scheduled publishing", "/docs/staged#at-a-time"],
  ["preview link", "/docs/staged#a-preview"],
  ["bulk", "/docs/batch"],
  ["upsert", "/docs/batch#create-or-change-what-is-there"],
  ["nightly import", "/docs/nightly-import"],
  ["csv import", "/docs/nightly-import"],
  ["rename a field", "/docs/types#migrate-entries"],
  ["idempotency key", "/docs/batch#never-twice"],
  ["realtime", "/docs/feed#live-events"],
  ["mcp", "/docs/agents"],
  ["prometheus", "/docs/operations#monitoring"],
  ["high availability", "/docs/operations#many-nodes"],
  ["cache invalidation", "/docs/purge"],
  ["vulnerability", "/docs/security"],
  ["sdk", "/docs/client"],
];

for (const [words, place] of asked) {
  test(`a search for "${words}" finds ${place} among the first three`, async () => {
    const urls = await found(words);
    assert.ok(urls.slice(0, 3).includes(place), urls.slice(0, 8).join("\n"));
  });
}

test("a search answers guides that are named so before rows of the reference", async () => {
  for (const words of ["backup", "webhooks", "preview", "release", "types", "images", "tokens"]) {
    const urls = await found(words);
    assert.ok(isGuide(urls[0] as string), `${words}: ${urls[0]}`);
  }
});

test("what only the reference has is found by its name", async () => {
  const names: [string, string][] = [
    ["entry_not_found", "/docs/problems#entry_not_found"],
    ["render_workers", "/docs/settings#render_workers"],
    ["Create an entry", "/docs/api/entries#postEntries-title"],
  ];
  for (const [words, place] of names) assert.equal((await found(words))[0], place);
});

test("every guide that is read for its own sake has keywords, each below a heading", () => {
  for (const [url, { file, group }] of Object.entries(guides)) {
    const markdown = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    const comments = markdown.match(/<!-- keywords:/g)?.length ?? 0;
    assert.equal(
      keywordsOf(markdown).size,
      comments,
      `${file}: a keyword comment that is not directly below a heading`,
    );
    if (group !== "Reference" && url !== "/docs/readme") assert.ok(comments > 0, `${file} has no keywords`);
  }
});

test("keywords are not on the page", async () => {
  const { text } = await world.send("GET", "/docs/staged");
  assert.doesNotMatch(text, /keywords|embargo/);
});

test("the contents are in four groups", async () => {
  const { text } = await world.send("GET", "/docs/faq");
  const groups = [...text.matchAll(/<p class="group">([^<]+)<\/p>/g)].map(([, name]) => name);
  assert.deepEqual(groups, ["Start", "Guides", "Operation", "Reference"]);
});
