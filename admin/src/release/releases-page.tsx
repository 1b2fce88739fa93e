import { Anchor, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Layers, Plus } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { createRelease, type Release } from "../api/release.ts";
import { say, sayMany } from "../language/say.ts";
import { releasesQuery, rereadReleases } from "../query/releases.ts";
import { useWrites } from "../session-context.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { type Column, from, ListStates, ListTable } from "../ui/list.tsx";
import { addressOf, go, Link, type PageAddress } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { Segments } from "../ui/segments.tsx";
import { Empty, Loading } from "../ui/state.tsx";
import { TitleInput } from "./add-dialog.tsx";
import { ReleaseMenu } from "./release-menu.tsx";
import { ReleasePage } from "./release-page.tsx";
import { StateBadge, whenOf } from "./release-state.tsx";

const Calendar = lazy(async () => ({ default: (await import("./calendar.tsx")).Calendar }));

type View = "list" | "calendar";

/** The releases, what goes live in a calendar, or one release. */
export function ReleasesPage({ place: { path, search } }: { place: PageAddress }) {
  const [isMaking, setMaking] = useState(false);
  const mayMake = useWrites();
  if (path !== "") return <ReleasePage key={path} id={path} />;
  const view: View = search.get("view") === "calendar" ? "calendar" : "list";
  return (
    <Page
      title={say("Releases")}
      description={say("Drafts and changes that go live together, and what goes live when.")}
      actions={
        <>
          <Segments
            label={say("View")}
            options={{ list: say("List"), calendar: say("Calendar") }}
            value={view}
            onChange={(chosen) => go(addressOf("releases", "", chosen === "list" ? {} : { view: chosen }), "replace")}
          />
          {mayMake && (
            <Button leftSection={<Plus size={15} />} onClick={() => setMaking(true)}>
              {say("New release")}
            </Button>
          )}
        </>
      }
    >
      {view === "list" ? (
        <List />
      ) : (
        <Suspense fallback={<Loading />}>
          <Calendar />
        </Suspense>
      )}
      {isMaking && <NewRelease onClose={() => setMaking(false)} />}
    </Page>
  );
}

function List() {
  const list = useQuery({ ...releasesQuery, staleTime: 0 });
  return (
    <ListStates
      list={list}
      items={list.data}
      failure={say("The releases cannot be listed")}
      empty={
        <Empty icon={Layers} title={say("No releases yet")}>
          {say("A release is a set of drafts and changes that are published together, and taken back together.")}
        </Empty>
      }
    >
      {(rows) => <ListTable rows={rows} columns={columns} keyOf={({ id }) => id} />}
    </ListStates>
  );
}

/** Asks for the title of a release, makes it and opens it. */
function NewRelease({ onClose }: { onClose(): void }) {
  const [title, setTitle] = useState("");
  const create = async (): Promise<void> => {
    const { id } = await createRelease(title.trim());
    await rereadReleases();
    go(addressOf("releases", id));
  };
  return (
    <FormDialog
      title={say("New release")}
      submit={say("Create")}
      isDisabled={title.trim() === ""}
      onSubmit={create}
      onClose={onClose}
    >
      <TitleInput value={title} onChange={setTitle} />
    </FormDialog>
  );
}

const countOf = ({ count }: Release): string => sayMany(count, "{count} entry", "{count} entries");

const columns: Column<Release>[] = [
  { label: say("Release"), cell: { "data-fill": true }, show: (release) => <Name release={release} /> },
  { label: say("State"), show: (release) => <StateBadge release={release} /> },
  { label: say("Entries"), ...from("sm"), show: countOf },
  { label: say("When"), ...from("sm"), show: (release): ReactNode => whenOf(release) ?? say("No time") },
  { show: (release) => <ReleaseMenu release={release} /> },
];

const Name = ({ release }: { release: Release }) => (
  <>
    <Anchor
      component={Link}
      href={addressOf("releases", release.id)}
      size="sm"
      fw={550}
      truncate
      display="block"
      title={release.title}
    >
      {release.title}
    </Anchor>
    <Text size="xs" c="dimmed" hiddenFrom="sm">
      {[countOf(release), whenOf(release)].filter(Boolean).join(", ")}
    </Text>
  </>
);
