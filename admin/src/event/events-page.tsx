import { Badge, Button, Group, Loader, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ArrowRight, History, RefreshCw } from "lucide-react";
import { useMemo } from "react";
import type { LogEvent } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { say, sayMany } from "../language/say.ts";
import { labelOf, partsOf } from "../model/event-kind.ts";
import {
  type EventFilter,
  filterNames,
  findEvents,
  isFiltering,
  readEventFilter,
} from "../model/filter/event-filter.ts";
import { type Column, from, ListPage } from "../ui/list.tsx";
import { addressOf, go, Link, usePlace } from "../ui/location.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { EventFilterBar } from "./event-filter-bar.tsx";
import { type Live, useLive } from "./live.ts";

/** The event log, newest first, with a filter that is part of the URL. */
export function EventsPage() {
  const { search } = usePlace();
  const filter = useMemo(() => readEventFilter(search), [search]);
  const [settled] = useDebouncedValue(filter, 200);
  const list = useEvents(settled);
  const { data, error, refetch, isFetching } = list;
  const live = useLive(data?.pages[0]?.newest, settled);
  const events = data?.pages.flatMap((page) => page.events);
  const { nameOf, actors } = useActors(events ?? [], filter.actor);
  const read = data?.pages.reduce((sum, page) => sum + page.read, 0) ?? 0;
  return (
    <ListPage
      title={say("Events")}
      description={say("All writes, and the people and tokens that made them.")}
      actions={
        <Button
          variant={live.fresh > 0 ? "filled" : "default"}
          // It keeps the focus while it is busy.
          leftSection={isFetching ? <Loader size={15} color="currentColor" /> : <RefreshCw size={15} />}
          onClick={() => void refetch()}
        >
          {live.fresh > 0 ? sayMany(live.fresh, "Show {count} new event", "Show {count} new events") : say("Refresh")}
        </Button>
      }
      above={
        <>
          <EventFilterBar filter={filter} events={events ?? []} actors={actors} onChange={setFilter} />
          {events && !error && (
            <Text size="xs" c="dimmed" mb="xs" aria-live="polite">
              {isFiltering(settled) && `${filteredWords(events.length, read)} `}
              <LiveWords {...live} />
            </Text>
          )}
        </>
      }
      list={list}
      items={events}
      failure={say("The log cannot be read")}
      rows={10}
      empty={
        <Empty icon={History} title={isFiltering(settled) ? say("No event matches") : say("Nothing was written yet")} />
      }
      table={{ columns: columnsOf(nameOf), keyOf: ({ sequence }) => sequence, spacing: 7 }}
    />
  );
}

function setFilter(filter: EventFilter): void {
  const set = filterNames.filter((name) => filter[name] !== "").map((name) => [name, filter[name]]);
  go(addressOf("events", "", Object.fromEntries(set)), "replace");
}

const useEvents = (filter: EventFilter) =>
  useInfiniteQuery({
    queryKey: ["events", filter],
    queryFn: ({ pageParam }) => findEvents(filter, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
    // What is new is told, and shown when it is asked for: nothing moves under a reader.
    refetchOnWindowFocus: false,
  });

/** The names of those that wrote the events, and a choice of all that may have written one, with the chosen one. */
function useActors(events: readonly LogEvent[], chosen: string) {
  const tokens = useQuery({ queryKey: ["tokens"], queryFn: () => octavo.tokens.list() });
  const people = new Map(events.map(({ actor, actor_name: name }) => [actor, name]));
  const nameOf = (id: string): string =>
    id === "octavo"
      ? say("Octavo itself")
      : people.get(id) || tokens.data?.find((token) => token.id === id)?.label || id.replace("person:", "").slice(0, 8);
  const seen = events.map(({ actor }) => actor);
  const actors = [...new Set(["octavo", ...(tokens.data ?? []).map(({ id }) => id), ...seen, chosen])]
    .filter((id) => id !== "")
    .map((id) => ({ value: id, label: nameOf(id) }));
  return { nameOf, actors };
}

const filteredWords = (count: number, read: number): string =>
  sayMany(count, "{count} event of the newest {read}.", "{count} events of the newest {read}.", { read });

function LiveWords({ fresh, isLive }: Live) {
  if (isLive === undefined) return say("Connecting…");
  if (fresh === 0) return isLive ? say("Live") : say("Not live: connecting…");
  return isLive
    ? sayMany(fresh, "Live, {count} new event", "Live, {count} new events")
    : sayMany(fresh, "Not live, {count} new event: connecting…", "Not live, {count} new events: connecting…");
}

const colours: Record<string, string> = {
  ...{ create: "teal", upload: "teal", set: "teal", copy: "teal", start: "teal" },
  ...{ update: "blue", move: "indigo", rotate: "indigo" },
  ...{ restore: "grape", undelete: "grape" },
  ...{ delete: "red", revoke: "red", end: "red", purge: "red" },
};

const columnsOf = (nameOf: (id: string) => string): Column<LogEvent>[] => [
  {
    label: say("What"),
    show: ({ kind }) => <Badge color={colours[partsOf(kind).verb] ?? "gray"}>{labelOf(kind)}</Badge>,
  },
  {
    label: say("Subject"),
    cell: { "data-fill": true },
    show: (event) => (
      <>
        <Subject event={event} nameOf={nameOf} />
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {sayParts("{time} by {name}", { time: <Ago seconds={event.at} />, name: nameOf(event.actor) })}
        </Text>
      </>
    ),
  },
  { label: say("By"), ...from("sm"), show: ({ actor }) => nameOf(actor) },
  { label: say("When"), ...from("sm"), show: ({ at }) => <Ago seconds={at} /> },
];

function Subject({ event, nameOf }: { event: LogEvent; nameOf(id: string): string }) {
  const { kind, subject, target, count } = event;
  const { noun, verb } = partsOf(kind);
  const isEntry = noun === "entry" && verb !== "delete";
  const shown = noun === "token" ? nameOf(subject) : subject;
  return (
    <Group gap={6} wrap="nowrap" className="mono event-subject">
      {isEntry && target === null ? <Link href={addressOf("entries", subject)}>{shown}</Link> : <span>{shown}</span>}
      {target !== null && (
        <>
          <ArrowRight size={13} aria-label={say("to")} />
          {isEntry ? <Link href={addressOf("entries", target)}>{target}</Link> : <span>{target}</span>}
        </>
      )}
      {event.locale !== undefined && (
        <Text component="span" size="xs" c="dimmed" className="quiet">
          {say("in {locale}", { locale: event.locale })}
        </Text>
      )}
      {count > 1 && (
        <Text component="span" size="xs" c="dimmed" className="quiet">
          {say("{count} in all", { count })}
        </Text>
      )}
    </Group>
  );
}
