import { Badge, Button, Group, Table, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ArrowRight, History, RefreshCw } from "lucide-react";
import { useMemo } from "react";
import type { LogEvent } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { formatCount, plural } from "../ui/format.ts";
import { addressOf, go, Link, usePlace } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { type EventFilter, filterNames, findEvents, isFiltering, readEventFilter } from "./event-filter.ts";
import { EventFilterBar } from "./event-filter-bar.tsx";
import { labelOf, partsOf } from "./event-kind.ts";

/** The event log, newest first, with a filter that is part of the URL. */
export function EventsPage() {
  const { search } = usePlace();
  const filter = useMemo(() => readEventFilter(search), [search]);
  const [settled] = useDebouncedValue(filter, 200);
  const setFilter = (changed: EventFilter): void => {
    const set = filterNames.filter((name) => changed[name] !== "").map((name) => [name, changed[name]]);
    go(addressOf("events", "", Object.fromEntries(set)), "replace");
  };
  const list = useInfiniteQuery({
    queryKey: ["events", settled],
    queryFn: ({ pageParam }) => findEvents(settled, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
    // Not with a filter, where a refresh may take many requests.
    refetchInterval: isFiltering(settled) ? false : 15_000,
  });
  const { data, error, refetch, isFetching } = list;
  const tokens = useQuery({ queryKey: ["tokens"], queryFn: () => octavo.tokens.list() });
  const nameOf = (id: string): string =>
    id === "octavo" ? "Octavo itself" : tokens.data?.find((token) => token.id === id)?.label || id.slice(0, 8);
  const events = data?.pages.flatMap((page) => page.events);
  const read = data?.pages.reduce((sum, page) => sum + page.read, 0) ?? 0;
  const seen = (events ?? []).map(({ actor }) => actor);
  const actors = [...new Set(["octavo", ...(tokens.data ?? []).map(({ id }) => id), ...seen, filter.actor])]
    .filter((id) => id !== "")
    .map((id) => ({ value: id, label: nameOf(id) }));
  return (
    <Page
      title="Events"
      description="All writes, and the tokens that made them."
      actions={
        <Button
          variant="default"
          leftSection={<RefreshCw size={15} />}
          loading={isFetching}
          onClick={() => void refetch()}
        >
          Refresh
        </Button>
      }
    >
      <EventFilterBar filter={filter} events={events ?? []} actors={actors} onChange={setFilter} />
      {error ? (
        <Failure error={error} title="The log cannot be read" onRetry={() => void refetch()} />
      ) : !events ? (
        <Loading rows={10} />
      ) : (
        <>
          {isFiltering(settled) && (
            <Text size="xs" c="dimmed" mb="xs" aria-live="polite">
              {plural(events.length, "event")} of the newest {formatCount(read)}
            </Text>
          )}
          {events.length > 0 ? (
            <EventTable events={events} nameOf={nameOf} />
          ) : (
            <Empty icon={History} title={isFiltering(settled) ? "No event matches" : "Nothing was written yet"} />
          )}
          <ShowMore list={list} />
        </>
      )}
    </Page>
  );
}

const colours: Record<string, string> = {
  ...{ create: "teal", upload: "teal", set: "teal", copy: "teal", start: "teal" },
  ...{ update: "blue", move: "indigo", rotate: "indigo" },
  ...{ restore: "grape", undelete: "grape" },
  ...{ delete: "red", revoke: "red", end: "red", purge: "red" },
};

function EventTable({ events, nameOf }: { events: LogEvent[]; nameOf(id: string): string }) {
  return (
    <div className="panel table-panel">
      <Table verticalSpacing={7}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>Subject</Table.Th>
            <Table.Th visibleFrom="sm">By</Table.Th>
            <Table.Th visibleFrom="sm">When</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <Table.Tr key={event.sequence}>
              <Table.Td>
                <Badge color={colours[partsOf(event.kind).verb] ?? "gray"}>{labelOf(event.kind)}</Badge>
              </Table.Td>
              <Table.Td data-fill>
                <Subject event={event} nameOf={nameOf} />
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  <Ago seconds={event.at} /> by {nameOf(event.actor)}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                {nameOf(event.actor)}
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                <Ago seconds={event.at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

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
          <ArrowRight size={13} aria-label="to" />
          {isEntry ? <Link href={addressOf("entries", target)}>{target}</Link> : <span>{target}</span>}
        </>
      )}
      {count > 1 && (
        <Text component="span" size="xs" c="dimmed" className="quiet">
          {count} in all
        </Text>
      )}
    </Group>
  );
}
