import { problem } from "../core/problem.ts";
import { noun } from "../core/sql/noun.ts";
import { findFilesIn } from "./find-file-store.ts";
import { findIn } from "./find-store.ts";
import { prepareSearch } from "./prepare-store.ts";
import { saveSearch } from "./save-store.ts";
import type { SearchStore } from "./search.ts";
import type { Way } from "./way.ts";

/** It has rows that are made of others: a backup has none of them. */
export const searchNoun = noun({
  writes: { saveSearch },
  scans: { prepareSearch, findIn, findFilesIn },
  apart: ["prepareSearch"],
  port: ({ scans, scansFor, writes, beforeClose }): SearchStore => {
    let isClosing = false;
    let indexing: Promise<void> | undefined;
    const step = async (way: Way): Promise<boolean> => {
      const prepared = await scans.prepareSearch(way);
      if (!prepared) return false;
      await writes.saveSearch(prepared);
      return true;
    };
    /** One runs at a time; who asks meanwhile gets that one, which sees what was written before it ends. */
    const index = (way: Way, say: (sentence: string) => void = () => undefined): Promise<void> => {
      indexing ??= (async () => {
        while (!isClosing && (await step(way)));
        say("");
      })().finally(() => {
        indexing = undefined;
      });
      return indexing;
    };
    beforeClose(async () => {
      isClosing = true;
      await indexing?.catch(() => undefined);
    });
    return {
      index,
      findFiles: (ask, query, address, access, asker, chain) =>
        scansFor(asker).findFilesIn(ask, query, address, access, chain),
      find: async (ask, query, access, asker) => {
        const search = (isLast: boolean) => scansFor(asker).findIn(ask, query, access, isLast);
        const found = await search(false);
        if (found) {
          // What is pending is looked at by each search until it is indexed.
          if (found.isPending && !isClosing) index(ask.way).catch(() => undefined);
          return found.answer;
        }
        await Promise.race([index(ask.way), later(maxWaitMs)]);
        const late = await search(true);
        if (!late) throw problem("busy", { reason: "the words of this store are being indexed" });
        return late.answer;
      },
    };
  },
});

/** A search waits so long for words that are being indexed. */
const maxWaitMs = 5000;
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
