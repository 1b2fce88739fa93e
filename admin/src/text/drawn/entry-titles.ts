import { condition } from "../../../../client/src/client.ts";
import { listEntries, titleOf } from "../../api/entry.ts";
import { queries } from "../../ui/query.ts";

/** The titles of entries that texts link to, asked for together. */

type Asked = { id: string; answer(title: string | undefined): void };
let asked: Asked[] = [];

/** A list takes that many ids. */
const mostIds = 100;

/** The title of an entry; undefined when there is none, or it may not be read. */
export const entryTitle = (id: string): Promise<string | undefined> =>
  queries
    .fetchQuery({ queryKey: ["collection", "title", id], queryFn: async () => (await ask(id)) ?? null })
    .then((title) => title ?? undefined);

function ask(id: string): Promise<string | undefined> {
  if (asked.length === 0) queueMicrotask(() => void answerAll());
  return new Promise((answer) => asked.push({ id, answer }));
}

async function answerAll(): Promise<void> {
  const all = asked;
  asked = [];
  for (let at = 0; at < all.length; at += mostIds) {
    const part = all.slice(at, at + mostIds);
    const titles = await titlesOf(part.map(({ id }) => id)).catch(() => new Map<string, string>());
    for (const { id, answer } of part) answer(titles.get(id));
  }
}

async function titlesOf(ids: string[]): Promise<Map<string, string>> {
  const { items } = await listEntries("", { depth: "*", filter: condition("slug", "in", ids), limit: ids.length });
  return new Map(items.map((entry) => [entry.slug, titleOf(entry)]));
}
