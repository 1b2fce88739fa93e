import { Anchor, Badge, Button, Menu, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { StagedRow } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { nameOf } from "../api/path.ts";
import { type NamedEntry, placeOf, type Release } from "../api/release.ts";
import { copyKey, openEntry } from "../api/staged.ts";
import { say } from "../language/say.ts";
import { languageName } from "../model/locale.ts";
import { rereadAll } from "../query/entry.ts";
import { isOpen, rereadReleases } from "../query/releases.ts";
import { useWrites } from "../session-context.ts";
import { type Column, from, ListTable } from "../ui/list.tsx";
import { inLocale } from "../ui/locale-select.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { RowMenu } from "../ui/row-menu.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { notifyFailure } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { offerUndo } from "../ui/undo.tsx";

const StagedDifference = lazy(async () => ({
  default: (await import("../history/staged-difference.tsx")).StagedDifference,
}));

/** Each has its menu: more at once are slow. */
const pageEntries = 100;

type EntriesProps = { release: Release; rows: readonly StagedRow[]; faults: readonly NamedEntry[] };

/** The entries of a release, each with what differs. */
export function ReleaseEntries({ release, rows, faults }: EntriesProps) {
  const [compared, setCompared] = useState<Copy>();
  const [shown, setShown] = useState(pageEntries);
  const mayChange = useWrites() && isOpen(release);
  const isFaulty = ({ id }: StagedRow): boolean => faults.some((fault) => fault.id === id);
  const columns: Column<StagedRow>[] = [
    {
      label: say("Entry"),
      cell: { "data-fill": true },
      show: (row) => <EntryName row={row} isFaulty={isFaulty(row)} />,
    },
    { label: say("Changed"), ...from("sm"), show: ({ staged_at: at }) => <Ago seconds={at} /> },
  ];
  if (release.state !== "published")
    columns.push({ show: (row) => <Differs row={row} onClick={() => setCompared(row)} /> });
  if (mayChange) columns.push({ show: (row) => <EntryMenu release={release} row={row} /> });
  return (
    <>
      <ListTable rows={rows.slice(0, shown)} columns={columns} keyOf={copyKey} />
      <ShowMore
        list={{
          hasNextPage: rows.length > shown,
          isFetchingNextPage: false,
          fetchNextPage: () => setShown(shown + pageEntries),
        }}
      />
      {compared !== undefined && <Difference {...compared} onClose={() => setCompared(undefined)} />}
    </>
  );
}

/** Which entry, in which locale. */
export type Copy = Pick<StagedRow, "id" | "locale">;
type NamedRow = Copy & Pick<StagedRow, "title" | "outdated">;

const titleOf = ({ id, title }: Pick<StagedRow, "id" | "title">): string => title || nameOf(id);

/** An entry with a working copy, or a draft: its title with a link, and what is to be known before it is published. */
export const EntryName = ({ row, isFaulty = false }: { row: NamedRow; isFaulty?: boolean }) => (
  <>
    <Anchor
      component={Link}
      href={addressOf("entries", row.id, inLocale(row.locale))}
      size="sm"
      fw={550}
      truncate
      display="block"
    >
      {titleOf(row)}
    </Anchor>
    <Text size="xs" c="dimmed" className="mono" truncate title={row.id}>
      {row.id}
    </Text>
    {row.locale && (
      <Badge color="gray" me={6}>
        {languageName(row.locale)}
      </Badge>
    )}
    {isFaulty && (
      <Badge color="red" me={6}>
        {say("Faulty")}
      </Badge>
    )}
    {row.outdated.length > 0 && (
      <Text size="xs" component="span">
        <Badge color="yellow">{say("Outdated")}</Badge>{" "}
        {say("Corrected on the site meanwhile: {fields}", { fields: row.outdated.join(", ") })}
      </Text>
    )}
  </>
);

/** The button that opens `Difference`. */
export const Differs = ({ row, onClick }: { row: NamedRow; onClick(): void }) => (
  <Button
    size="compact-sm"
    variant="default"
    aria-label={say("What differs in {title}", { title: titleOf(row) })}
    onClick={onClick}
  >
    {say("What differs")}
  </Button>
);

/** What publishing an entry changes, in a dialog. */
export function Difference({ id, locale, onClose }: Copy & { onClose(): void }) {
  const { data } = useQuery({
    queryKey: ["release", "opened", id, locale],
    queryFn: () => openEntry(id, locale),
    staleTime: 0,
    gcTime: 0,
  });
  return data ? (
    <Suspense>
      <StagedDifference staged={data.entry} locale={locale} onClose={onClose} />
    </Suspense>
  ) : null;
}

function EntryMenu({ release, row }: { release: Release; row: StagedRow }) {
  const place = async (into: string | null): Promise<void> => {
    await octavo.batch([placeOf(row.id, into, row.locale)]);
    await Promise.all([rereadReleases(), rereadAll()]);
  };
  const takeOut = async (): Promise<void> => {
    await place(null);
    offerUndo(say("Taken out:"), titleOf(row), () => void place(release.id).catch(notifyFailure));
  };
  return (
    <RowMenu name={titleOf(row)}>
      <Menu.Item leftSection={<LogOut size={15} />} onClick={() => void takeOut().catch(notifyFailure)}>
        {say("Take out of the release")}
      </Menu.Item>
    </RowMenu>
  );
}
