import { Anchor, Badge, Group, Text } from "@mantine/core";
import { FilePen } from "lucide-react";
import { copyKey } from "../api/staged.ts";
import { say } from "../language/say.ts";
import { formatMoment } from "../model/format.ts";
import { languageName } from "../model/locale.ts";
import { useActorName } from "../query/actor-name.ts";
import { type Column, from, ListPage } from "../ui/list.tsx";
import { inLocale } from "../ui/locale-select.tsx";
import { addressOf, go, Link, type PageAddress } from "../ui/location.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { Segments } from "../ui/segments.tsx";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { stateColors, stateNames, useIsMine, useWork, type Work, type WorkState } from "./work.ts";

type Whose = "all" | "mine";
type Which = "all" | WorkState;

const whose: Record<Whose, string> = { all: say("All"), mine: say("Mine") };
const which: Record<Which, string> = {
  ...{
    all: say("All"),
    Draft: say("Drafts"),
    Changed: say("Waiting"),
    Scheduled: say("Scheduled"),
    Failed: say("Failed"),
  },
};

/** Drafts, and changes that are not published: mine or all, by where they stand. Both choices are part of the URL. */
export function WorkPage({ place: { search } }: { place: PageAddress }) {
  const actorName = useActorName();
  const isMine = useIsMine();
  const work = useWork();
  const chosen = {
    whose: search.get("whose") === "mine" ? "mine" : "all",
    which: whichOf(search.get("state")),
  } as const;
  const choose = (changed: Partial<{ whose: Whose; which: Which }>): void => {
    const next = { ...chosen, ...changed };
    const query = {
      ...(next.whose === "mine" && { whose: "mine" }),
      ...(next.which !== "all" && { state: next.which }),
    };
    go(addressOf("work", "", query), "replace");
  };
  const items = work.data?.filter(
    (one) => (chosen.whose === "all" || isMine(one)) && (chosen.which === "all" || one.state === chosen.which),
  );
  return (
    <ListPage
      title={say("Work")}
      description={say("Drafts, and changes that are not on the site yet, the newest first.")}
      list={work}
      items={items}
      failure={say("The list cannot be read")}
      above={
        <Group gap="sm" mb="md">
          <Segments
            label={say("Whose")}
            options={whose}
            value={chosen.whose}
            onChange={(value) => choose({ whose: value })}
          />
          <Segments
            label={say("State")}
            options={which}
            value={chosen.which}
            onChange={(value) => choose({ which: value })}
          />
        </Group>
      }
      empty={
        <Empty icon={FilePen} title={say("Nothing is waiting")}>
          {say('"Save draft" on an entry keeps changes here until they are published, and so do new drafts.')}
        </Empty>
      }
      table={{ columns: columnsOf(actorName), keyOf: copyKey }}
    />
  );
}

const whichOf = (text: string | null): Which => (text !== null && Object.hasOwn(which, text) ? (text as Which) : "all");

type ActorName = (id: string, name?: string) => string;

const columnsOf = (actorName: ActorName): Column<Work>[] => [
  { label: say("Entry"), cell: { "data-fill": true }, show: (work) => <Title work={work} actorName={actorName} /> },
  {
    label: say("Section"),
    ...from("sm"),
    show: ({ section }) =>
      section === "" ? (
        say("Top level")
      ) : (
        <Anchor component={Link} href={addressOf("entries", section)} size="sm">
          {section}
        </Anchor>
      ),
  },
  {
    label: say("Goes live"),
    ...from("sm"),
    show: ({ publishAt }) => (publishAt === undefined ? say("Not scheduled") : formatMoment(publishAt)),
  },
  { label: say("Changed"), ...from("sm"), show: (work) => <Changed work={work} actorName={actorName} /> },
];

function Title({ work, actorName }: { work: Work; actorName: ActorName }) {
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Anchor
          component={Link}
          href={addressOf("entries", work.id, inLocale(work.locale))}
          size="sm"
          fw={550}
          truncate
        >
          {work.title}
        </Anchor>
        <Badge color={stateColors[work.state]}>{stateNames[work.state]}</Badge>
        {work.locale && <Badge color="gray">{languageName(work.locale)}</Badge>}
        {work.outdated.length > 0 && <Badge color="red">{say("Outdated")}</Badge>}
      </Group>
      <Text size="xs" c="dimmed" className="mono" truncate title={work.id}>
        {work.id}
      </Text>
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        {work.publishAt !== undefined && `${say("goes live {time}", { time: formatMoment(work.publishAt) })}, `}
        {sayParts("changed {time}", { time: <Changed work={work} actorName={actorName} /> })}
      </Text>
    </>
  );
}

const Changed = ({ work: { at, actor, actorName: name }, actorName }: { work: Work; actorName: ActorName }) => (
  <>
    <Ago seconds={at} />
    {actor !== undefined && ` ${say("by {name}", { name: actorName(actor, name) })}`}
  </>
);
