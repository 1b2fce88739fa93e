import { where } from "../../../client/src/client.ts";
import { listEntries, titleOf } from "../api/entry.ts";
import { nameOf } from "../api/path.ts";
import { listReleases } from "../api/release.ts";
import { say } from "../language/say.ts";
import { type Day, dayOf } from "../model/month.ts";
import { readCopies } from "../query/copies.ts";
import { addressOf } from "../ui/location.tsx";

/** Something that goes live. */
export type Coming = { key: string; title: string; what: string; href: string; at: number };

const mostEntries = 1000;

/** What goes live between two times, in Unix seconds, by its day: releases, working copies and entries by their publish dates. */
export async function readComing(from: number, to: number): Promise<Map<Day, Coming[]>> {
  const now = Math.floor(Date.now() / 1000);
  const isWithin = (at: number | null | undefined): at is number => typeof at === "number" && at >= from && at < to;
  const within = where("published_at")
    .between(Math.max(now + 1, from), Math.max(now + 1, to - 1))
    .and(where("visibility").neq("draft"));
  const [releases, copies, dated] = await Promise.all([
    listReleases(),
    readCopies(),
    to <= now ? [] : listEntries("", { depth: "*", filter: within, limit: mostEntries }).then(({ items }) => items),
  ]);
  const coming: Coming[] = [
    ...releases.flatMap(({ id, title, state, at }) =>
      state === "scheduled" && isWithin(at) ? [{ ...placeOf("releases", id, title), what: say("Release"), at }] : [],
    ),
    ...[...copies.values()].flatMap(({ id, title, publish_at: at, release }) =>
      release === undefined && isWithin(at)
        ? [{ ...placeOf("entries", id, title || nameOf(id)), what: say("Changes"), at }]
        : [],
    ),
    ...dated.map((entry) => ({
      ...placeOf("entries", entry.slug, titleOf(entry)),
      ...{ key: `date ${entry.slug}`, what: say("Entry"), at: entry.published_at },
    })),
  ];
  return Map.groupBy(
    coming.sort((one, other) => one.at - other.at),
    ({ at }) => dayOf(new Date(at * 1000)),
  );
}

const placeOf = (page: string, id: string, title: string) => ({
  key: `${page} ${id}`,
  title,
  href: addressOf(page, id),
});
