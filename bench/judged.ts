/**
 * How good the answers of searches are: nDCG@10 of 200 queries over foreign pages, as written and with a typo, of Octavo over HTTP,
 * MiniSearch and Orama. `BENCH_PAGES` names a folder of Markdown, such as a checkout of the docs of Hugo. A query is the words
 * of a heading; a page is judged by where it has them: 3 all in its title, 2 all in one heading, 1 all in title and headings.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { random } from "../test/random.ts";
import { installPeers } from "./peer-install.ts";
import { inFolder, startOctavo, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { typoIn } from "./search-words.ts";
import { createEntry, createTokens, inStores } from "./store.ts";

type Page = { id: string; title: string; headings: string[]; content: string };
/** The best ids first. */
type Search = (q: string) => Promise<string[]>;

const [queryCount, depth] = [200, 10];
/** Words that judge nothing. */
const common = new Set(
  "a an and are as at by can do for from how in into is it its not of on or the to use using what when with you your".split(
    " ",
  ),
);

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export function run(_: Options, remark: (text: string) => void): Promise<string> {
  const from = process.env.BENCH_PAGES;
  if (!from) throw new Error("BENCH_PAGES is missing; expected a folder of Markdown");
  return inFolder(async (folder) => {
    const pages = readPages(from);
    const plain = queriesOf(pages);
    const pick = random(5);
    const withTypo = plain.map((words) => {
      const at = words.findIndex((word) => word.length >= 5 && !/\d/.test(word));
      return at < 0 ? words : words.with(at, typoIn(words[at] as string, pick));
    });
    remark(`${pages.length} pages, ${plain.length} queries; every product has title and content, the title weighs 4.`);
    const rows = ["| product | nDCG@10 | with a typo | nothing found, with a typo |", "|---|---|---|---|"];
    for (const [name, open] of Object.entries(products)) {
      const { search, close } = await open(pages, folder);
      const [all, typos] = [await score(pages, plain, plain, search), await score(pages, plain, withTypo, search)];
      await close();
      rows.push(`| ${name} | ${all.ndcg.toFixed(3)} | ${typos.ndcg.toFixed(3)} | ${all.empty}, ${typos.empty} |`);
      console.error(rows.at(-1));
    }
    return rows.join("\n");
  });
}

function readPages(from: string): Page[] {
  return globSync("**/*.md", { cwd: from })
    .toSorted()
    .flatMap((file, i) => {
      const text = readFileSync(join(from, file), "utf8");
      const [, front = "", content = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
      const title = /^title: *["']?(.*?)["']?$/m.exec(front)?.[1] ?? "";
      const prose = content.replace(/^```.*?^```/gms, "");
      const headings = [...prose.matchAll(/^#{2,4} +(.+)$/gm)].map(([, heading]) => heading as string);
      return title === "" || content.trim() === "" ? [] : [{ id: `pages/p${i}`, title, headings, content }];
    });
}

/** Words of one to four of a heading or title, of 200 pages. */
function queriesOf(pages: readonly Page[]): string[][] {
  const pick = random(3);
  const queries = new Map<string, string[]>();
  while (queries.size < queryCount) {
    const page = pages[pick(pages.length)] as Page;
    const texts = [page.title, ...page.headings];
    const words = wordsOf(texts[pick(texts.length)] as string).filter((word) => !common.has(word) && word.length > 1);
    if (words.length >= 1 && words.length <= 4) queries.set(words.join(" "), words);
  }
  return [...queries.values()];
}

function gradeOf({ title, headings }: Page, words: readonly string[]): number {
  const has = (text: string) => {
    const own = new Set(wordsOf(text));
    return words.every((word) => own.has(word));
  };
  return has(title) ? 3 : headings.some(has) ? 2 : has([title, ...headings].join(" ")) ? 1 : 0;
}

async function score(pages: readonly Page[], judged: string[][], asked: string[][], search: Search) {
  let [sum, empty] = [0, 0];
  for (const [i, words] of judged.entries()) {
    const grades = new Map(pages.map((page) => [page.id, gradeOf(page, words)]));
    const found = await search((asked[i] as string[]).join(" "));
    if (found.length === 0) empty++;
    const ideal = [...grades.values()].toSorted((a, b) => b - a);
    sum += gain(found.map((id) => grades.get(id) ?? 0)) / gain(ideal);
  }
  return { ndcg: sum / judged.length, empty };
}

const gain = (grades: readonly number[]): number =>
  grades.slice(0, depth).reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0);

// ---------------------------------------------------------------------------------------------- the products

type Open = (pages: readonly Page[], folder: string) => Promise<{ search: Search; close: () => unknown }>;

const octavo: Open = async (pages, folder) => {
  const data = join(folder, "octavo");
  const tokens = await inStores(data, async (stores) => {
    for (const { id, title, content } of pages) await createEntry(stores, id, { title, content });
    return createTokens(stores, ["entries"]);
  });
  const server = await startOctavo(data);
  const search: Search = async (q) => {
    const query = new URLSearchParams({ q, only: "slug", limit: String(depth), token: tokens.delivery });
    for (;;) {
      const reply = await fetch(`http://127.0.0.1:${server.port}/api/delivery/entries/search?${query}`);
      const { matches, partial } = (await reply.json()) as { matches?: { id: string }[]; partial?: boolean };
      if (matches && !partial) return matches.map(({ id }) => id);
      await delay(100);
    }
  };
  return { search, close: () => stop(server) };
};

const searchPeers = { minisearch: "7.2.0", "@orama/orama": "3.1.18" };

/** A module of a package among them. */
const load = (file: string) =>
  import(join(installPeers(searchPeers, "octavo-bench-search-peers"), "node_modules", file));

/** As its page shows it for a search box: words may be beginnings and have typos. */
const minisearch: Open = async (pages) => {
  const { default: MiniSearch } = await load("minisearch/dist/es/index.js");
  const index = new MiniSearch({
    fields: ["title", "content"],
    searchOptions: { boost: { title: 4 }, prefix: true, fuzzy: 0.2 },
  });
  index.addAll(pages);
  const search: Search = async (q) =>
    index
      .search(q)
      .slice(0, depth)
      .map(({ id }: { id: string }) => id);
  return { search, close: () => undefined };
};

const orama: Open = async (pages) => {
  const { create, insertMultiple, search: find } = await load("@orama/orama/dist/esm/index.js");
  const index = create({ schema: { title: "string", content: "string" } });
  await insertMultiple(
    index,
    pages.map(({ id, title, content }) => ({ id, title, content })),
  );
  const search: Search = async (term) => {
    const { hits } = await find(index, { term, tolerance: 1, boost: { title: 4 }, limit: depth });
    return hits.map(({ id }: { id: string }) => id);
  };
  return { search, close: () => undefined };
};

const products: Record<string, Open> = {
  Octavo: octavo,
  [`MiniSearch ${searchPeers.minisearch}`]: minisearch,
  [`Orama ${searchPeers["@orama/orama"]}`]: orama,
};
