import { Anchor, Badge, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { FilePen } from "lucide-react";
import { useState } from "react";
import { copyKey } from "../api/staged.ts";
import { say } from "../language/say.ts";
import { useActorName } from "../query/actor-name.ts";
import { releasesQuery } from "../query/releases.ts";
import { type Copy, Difference, Differs, EntryName } from "../release/release-entries.tsx";
import { type Column, from, ListPage } from "../ui/list.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { type Proposal, useProposals } from "./proposals.ts";

/** What a token proposed, and nobody has published yet. */
export function ProposalsPage({ id }: { id: string }) {
  const actorName = useActorName();
  const list = useProposals(id);
  const [compared, setCompared] = useState<Copy>();
  const columns: Column<Proposal>[] = [
    { label: say("Entry"), cell: { "data-fill": true }, show: (row) => <Name row={row} /> },
    { label: say("Release"), ...from("xs"), show: (row) => <ReleaseLink id={row.release} /> },
    { label: say("Changed"), ...from("sm"), show: ({ at }) => <Ago seconds={at} /> },
    {
      show: (row) =>
        row.isCopy ? (
          <Differs row={row} onClick={() => setCompared(row)} />
        ) : (
          <Badge color="yellow">{say("Draft")}</Badge>
        ),
    },
  ];
  return (
    <ListPage
      title={say("Proposed by {name}", { name: actorName(id) })}
      description={sayParts(
        "{link} · Drafts and changes of this token that nobody has published yet, the newest first.",
        {
          link: (
            <Anchor component={Link} href={addressOf("tokens")} inherit underline="always">
              {say("Tokens")}
            </Anchor>
          ),
        },
      )}
      list={list}
      items={list.data}
      failure={say("The proposals cannot be listed")}
      empty={
        <Empty icon={FilePen} title={say("Nothing is waiting")}>
          {say("What it drafts and changes is listed here until it is published.")}
        </Empty>
      }
      table={{ columns, keyOf: copyKey }}
    >
      {compared !== undefined && <Difference {...compared} onClose={() => setCompared(undefined)} />}
    </ListPage>
  );
}

const Name = ({ row }: { row: Proposal }) => (
  <>
    <EntryName row={row} />
    {row.release !== undefined && (
      <Text size="xs" component="div" hiddenFrom="xs">
        {sayParts("in {release}", { release: <ReleaseLink id={row.release} /> })}
      </Text>
    )}
  </>
);

function ReleaseLink({ id }: { id: string | undefined }) {
  const { data: releases = [] } = useQuery(releasesQuery);
  if (id === undefined) return say("None");
  return (
    <Anchor component={Link} href={addressOf("releases", id)} inherit>
      {releases.find((each) => each.id === id)?.title ?? id.slice(0, 8)}
    </Anchor>
  );
}
