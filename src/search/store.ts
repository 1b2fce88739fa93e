import { problem } from "../core/problem.ts";
import { noun } from "../core/sql/noun.ts";
import { findFilesIn } from "./find-file-store.ts";
import { findIn } from "./find-store.ts";
import { isBehind, prepareSearch } from "./prepare-store.ts";
import { saveSearch } from "./save-store.ts";
import type { SearchStore } from "./search.ts";
import { isSweepDue, prepareSweep, saveSweep } from "./sweep-store.ts";
import type { Way } from "./way.ts";

/** It has rows that are made of others: a backup has none of them. */
export const searchNoun = noun({
  writes: { saveSearch, saveSweep },
  scans: { prepareSearch, prepareSweep, findIn, findFilesIn },
  apart: ["prepareSearch"],
  port: ({ sql, scans, scansFor, writes, beforeClose }): SearchStore => {
    let isClosing = false;
    let indexing: Promise<void> | undefined;
    let sweeping: Promise<void> | undefined;
    let sayNow: ((sentence: string) => void) | undefined;
    const stepOn = async (way: Way): Promise<void> => {
      if (!(await isBehind(sql, way))) return;
      for (let tenth = 0; !isClosing; ) {
        const prepared = await scans.prepareSearch(way);
        if (!prepared) return;
        const isSaved = await writes.saveSearch(prepared);
        const { percent = 100, isLast = false } = prepared;
        if (isSaved && isLast) return;
        if (!isSaved || percent === 100 || Math.floor(percent / 10) <= tenth) continue;
        tenth = Math.floor(percent / 10);
        sayNow?.(`words are being indexed, ${percent} % of the entries so far`);
      }
    };
    /** One runs at a time; who asks meanwhile gets that one. */
    const index = (way: Way, say?: (sentence: string) => void): Promise<void> => {
      sayNow = say ?? sayNow;
      indexing ??= stepOn(way).finally(() => {
        indexing = undefined;
        sayNow = undefined;
      });
      return indexing;
    };
    const sweepAll = async (way: Way, least: number): Promise<void> => {
      if (!(await isSweepDue(sql, way, least))) return;
      while (!isClosing) {
        const prepared = await scans.prepareSweep(way, least);
        if (!prepared) return;
        await writes.saveSweep(prepared);
      }
    };
    beforeClose(async () => {
      isClosing = true;
      await Promise.allSettled([indexing, sweeping]);
    });
    return {
      index,
      sweep: (way, least = leastEnded) => {
        sweeping ??= sweepAll(way, least).finally(() => {
          sweeping = undefined;
        });
        return sweeping;
      },
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

/** Fewer documents that have ended are not worth a pass over all lists. */
const leastEnded = 4096;
/** A search waits so long for words that are being indexed. */
const maxWaitMs = 5000;
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
