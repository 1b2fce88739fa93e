import { Anchor, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Layers } from "lucide-react";
import { checkRelease, type Release, releaseEntries } from "../api/release.ts";
import { say } from "../language/say.ts";
import { isOpen, releasesQuery, useReleases } from "../query/releases.ts";
import { useWritesLive } from "../session-context.ts";
import { ListStates } from "../ui/list.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { NamedEntries } from "./named-entries.tsx";
import { ReleaseActions } from "./release-actions.tsx";
import { ReleaseEntries } from "./release-entries.tsx";
import { meaningOf, StateBadge } from "./release-state.tsx";

/** A release: its entries, what keeps it from being published, and what can be done with it. */
export function ReleasePage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({ ...releasesQuery, staleTime: 0 });
  const release = data?.find((each) => each.id === id);
  if (release) return <Shown release={release} />;
  if (data)
    return (
      <Empty icon={Layers} title={say("There is no such release")} isPage>
        {say("It may have been deleted.")}
      </Empty>
    );
  return (
    <Page title={say("Release")}>
      {error ? (
        <Failure error={error} title={say("The release cannot be read")} onRetry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Shown({ release }: { release: Release }) {
  const { id, title, state } = release;
  const list = useQuery({
    queryKey: ["release", id, "entries", state],
    queryFn: () => releaseEntries(id),
    staleTime: 0,
  });
  const isChecked = useWritesLive() && state !== "published" && release.count > 0;
  const check = useQuery({
    queryKey: ["release", id, "check", state],
    queryFn: () => checkRelease(id),
    enabled: isChecked && state !== "scheduled",
    staleTime: 0,
    retry: false,
  });
  const faults = check.data ?? [];
  return (
    <Page
      title={title}
      description={
        <>
          <Anchor component={Link} href={addressOf("releases")} inherit underline="always">
            {say("Releases")}
          </Anchor>{" "}
          · <StateBadge release={release} /> {meaningOf(release)}
        </>
      }
      actions={<ReleaseActions release={release} rows={list.data ?? []} isFaulty={faults.length > 0} />}
    >
      <Choice release={release} />
      {check.error && (
        <Failure error={check.error} title={say("It cannot be checked")} onRetry={() => void check.refetch()} />
      )}
      <NamedEntries title={say("It cannot be published yet")} entries={faults} rows={list.data ?? []} />
      <ListStates
        list={list}
        items={list.data}
        failure={say("Its entries cannot be listed")}
        empty={
          <Empty icon={Layers} title={say("Nothing is in it yet")}>
            {say('Choose it above and save drafts, or use "Add to a release…" on an entry or on a selection.')}
          </Empty>
        }
      >
        {(rows) => <ReleaseEntries release={release} rows={rows} faults={faults} />}
      </ListStates>
    </Page>
  );
}

/** Whether what one saves goes into it. */
function Choice({ release }: { release: Release }) {
  const { open, chosen, choose } = useReleases();
  if (!isOpen(release) || open.length === 0) return null;
  return (
    <Switch
      mb="md"
      label={say("Save my drafts into it")}
      description={say("Until you choose otherwise, what you save goes into this release.")}
      checked={chosen?.id === release.id}
      onChange={(event) => choose(event.currentTarget.checked ? release.id : undefined)}
    />
  );
}
