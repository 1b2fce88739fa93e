import { Group, Select } from "@mantine/core";
import type { LogEvent } from "../../../client/src/api.ts";
import { say } from "../language/say.ts";
import { knownKinds, labelOf, nounOf, partsOf } from "../model/event-kind.ts";
import type { EventFilter } from "../model/filter/event-filter.ts";
import { SearchInput } from "../ui/search-input.tsx";

/** All kinds, grouped by noun: the known ones and any others in the log. */
function kindOptions(events: readonly LogEvent[]) {
  const kinds = [...new Set([...knownKinds, ...events.map(({ kind }) => kind)])];
  return Object.entries(Object.groupBy(kinds, (kind) => partsOf(kind).noun)).map(([noun, own = []]) => ({
    group: nounOf(noun),
    items: [
      { value: `${noun}.`, label: say("{noun}: all", { noun: nounOf(noun) }) },
      ...own.map((kind) => ({ value: kind, label: labelOf(kind) })),
    ],
  }));
}

type EventFilterBarProps = {
  filter: EventFilter;
  events: readonly LogEvent[];
  /** The ids of possible actors, with their labels. */
  actors: { value: string; label: string }[];
  onChange(filter: EventFilter): void;
};

/** Filters by kind, actor and subject. */
export function EventFilterBar({ filter, events, actors, onChange }: EventFilterBarProps) {
  const change = (part: Partial<EventFilter>): void => onChange({ ...filter, ...part });
  return (
    <Group gap="xs" mb="md" component="search" aria-label={say("Filter")}>
      <Select
        aria-label={say("Kind")}
        placeholder={say("Any kind")}
        data={kindOptions(events)}
        value={filter.kind || null}
        onChange={(kind) => change({ kind: kind ?? "" })}
        clearable
        clearButtonProps={{ "aria-label": say("Any kind") }}
        searchable
        w={{ base: "100%", xs: 180 }}
      />
      <Select
        aria-label={say("By")}
        placeholder={say("By anybody")}
        data={actors}
        value={filter.actor || null}
        onChange={(actor) => change({ actor: actor ?? "" })}
        clearable
        clearButtonProps={{ "aria-label": say("By anybody") }}
        searchable
        w={{ base: "100%", xs: 220 }}
      />
      <SearchInput
        label={say("Subject")}
        placeholder={say("A part of the subject")}
        value={filter.subject}
        onChange={(subject) => change({ subject })}
        w={{ base: "100%", xs: 260 }}
      />
    </Group>
  );
}
