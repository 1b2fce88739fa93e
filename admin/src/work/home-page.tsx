import "./home.css";
import { Anchor, Badge, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { lazy, type ReactNode, Suspense } from "react";
import { where } from "../../../client/src/client.ts";
import { listEntries, titleOf } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { nameOf } from "../api/path.ts";
import { copyKey, openedTitle } from "../api/staged.ts";
import { say } from "../language/say.ts";
import { keptBy, type Place } from "../model/draft/kept.ts";
import { formatMoment } from "../model/format.ts";
import { languageName } from "../model/locale.ts";
import { useActorName } from "../query/actor-name.ts";
import { useSession, useWrites } from "../session-context.ts";
import { inLocale } from "../ui/locale-select.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { stateColors, stateNames, useIsMine, useWork, type Work } from "./work.ts";

const NewEntry = lazy(async () => ({ default: (await import("../create/new-entry.tsx")).NewEntry }));

const shown = 6;
const weekSeconds = 7 * 86_400;

/** Where one begins: what is mine, what waits, what comes, and what others did. */
export function HomePage() {
  const isMine = useIsMine();
  const mayWrite = useWrites();
  const work = useWork();
  const mine = work.data?.filter(isMine);
  const waiting = work.data?.filter((one) => !isMine(one) && (one.state === "Changed" || one.state === "Failed"));
  return (
    <Page
      isWide
      title={say("Home")}
      description={say("What you work on, what waits, and what goes live.")}
      actions={mayWrite && <NewButton />}
    >
      <div className="home">
        <NotSaved />
        <Box
          title={say("My work")}
          more={[say("All work"), addressOf("work")]}
          query={work}
          empty={say("You have no drafts.")}
        >
          {mine?.map((one) => (
            <WorkLine key={copyKey(one)} work={one} />
          ))}
        </Box>
        <Box
          title={say("Waiting for publication")}
          more={[say("All that waits"), addressOf("work", "", { state: "Changed" })]}
          query={work}
          empty={say("Nothing of others waits.")}
        >
          {waiting?.map((one) => (
            <WorkLine key={copyKey(one)} work={one} />
          ))}
        </Box>
        <Coming work={work} />
        <LastChanged />
        <ChangedByMe />
      </div>
    </Page>
  );
}

function NewButton() {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<Plus size={16} />} onClick={dialog.open} aria-label={say("New entry")}>
        {say("New")}
      </Button>
      {isOpen && (
        <Suspense>
          <NewEntry onClose={dialog.close} />
        </Suspense>
      )}
    </>
  );
}

/** What was typed and not saved, also in tabs that are closed; nothing without any. */
function NotSaved() {
  const kept = keptBy(useSession().token.id);
  const keyOf = ({ slug: id, locale }: Place): string => copyKey({ id, ...inLocale(locale) });
  const newest = kept.filter((each, i) => kept.findIndex((other) => keyOf(other) === keyOf(each)) === i);
  if (newest.length === 0) return null;
  return (
    <section className="panel home-box" aria-label={say("Not saved yet")}>
      <h2>{say("Not saved yet")}</h2>
      <ul className="plain-list">
        {newest.map(({ key, slug, locale, kept: { at, base, change } }) => (
          <Line
            key={key}
            id={slug}
            locale={locale}
            title={openedTitle({ ...base.entry, ...change.set }, base.translation)}
          >
            {locale && `${languageName(locale)}, `}
            {sayParts("typed {time}", { time: <Ago seconds={at} /> })}
          </Line>
        ))}
      </ul>
      <Text size="xs" c="dimmed">
        {say("Only this browser has it. Open it to save it or to throw it away.")}
      </Text>
    </section>
  );
}

/** What is scheduled, and entries whose publish date comes. */
function Coming({ work }: { work: ReturnType<typeof useWork> }) {
  const dated = useQuery({ queryKey: ["collection", "coming"], queryFn: readComing });
  const until = Date.now() / 1000 + weekSeconds;
  const scheduled = (work.data ?? []).flatMap(({ id, title, publishAt }) =>
    publishAt !== undefined && publishAt <= until ? [{ id, title, at: publishAt }] : [],
  );
  const coming = work.data && dated.data && [...scheduled, ...dated.data].sort((one, other) => one.at - other.at);
  return (
    <Box title={say("Goes live this week")} query={dated} empty={say("Nothing is scheduled.")}>
      {coming?.map(({ id, title, at }) => (
        <Line key={id} id={id} title={title}>
          {formatMoment(at)}
        </Line>
      ))}
    </Box>
  );
}

async function readComing(): Promise<{ id: string; title: string; at: number }[]> {
  const now = Math.floor(Date.now() / 1000);
  const within = where("published_at")
    .between(now + 1, now + weekSeconds)
    .and(where("visibility").neq("draft"));
  const { items } = await listEntries("", { depth: "*", filter: within, sort: "published_at", limit: shown });
  return items.map((entry) => ({ id: entry.slug, title: titleOf(entry), at: entry.published_at }));
}

function LastChanged() {
  const actorName = useActorName();
  const recent = useQuery({
    queryKey: ["collection", "recent"],
    queryFn: () => octavo.entries.recent({ limit: shown }),
    staleTime: 0,
  });
  return (
    <Box title={say("Changed last")} query={recent} empty={say("Nothing was changed lately.")}>
      {recent.data?.map(({ id, title, at, actor, actor_name: name }) => (
        <Line key={id} id={id} title={title || nameOf(id)}>
          {sayParts("{time} by {actorName}", { time: <Ago seconds={at} />, actorName: actorName(actor, name) })}
        </Line>
      ))}
    </Box>
  );
}

/** What of it is mine, live or not: where one left off. */
function ChangedByMe() {
  const recent = useQuery({
    queryKey: ["collection", "recent", "mine"],
    queryFn: () => octavo.entries.recent({ limit: shown, mine: true }),
    staleTime: 0,
  });
  return (
    <Box title={say("Changed by me")} query={recent} empty={say("You have changed nothing lately.")}>
      {recent.data?.map(({ id, title, at }) => (
        <Line key={id} id={id} title={title || nameOf(id)}>
          <Ago seconds={at} />
        </Line>
      ))}
    </Box>
  );
}

type BoxProps = {
  title: string;
  more?: readonly [label: string, href: string];
  query: { error: unknown; refetch(): unknown };
  empty: string;
  /** Undefined while it loads. */
  children: ReactNode[] | undefined;
};

function Box({ title, more, query, empty, children }: BoxProps) {
  return (
    <section className="panel home-box" aria-label={title}>
      <h2>{title}</h2>
      {query.error ? (
        <Failure error={query.error} title={say("It cannot be read")} onRetry={() => void query.refetch()} />
      ) : !children ? (
        <Loading rows={3} height={28} />
      ) : children.length === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <ul className="plain-list">{children.slice(0, shown)}</ul>
      )}
      {more && (
        <Anchor component={Link} href={more[1]} size="sm">
          {more[0]}
        </Anchor>
      )}
    </section>
  );
}

const WorkLine = ({ work: { id, locale, title, state, at } }: { work: Work }) => (
  <Line id={id} locale={locale} title={title}>
    <Badge color={stateColors[state]} size="xs">
      {stateNames[state]}
    </Badge>{" "}
    <Ago seconds={at} />
  </Line>
);

type LineProps = { id: string; locale?: string | undefined; title: string; children: ReactNode };

const Line = ({ id, locale, title, children }: LineProps) => (
  <li className="home-line">
    <Anchor component={Link} href={addressOf("entries", id, inLocale(locale))} size="sm" fw={550} truncate title={id}>
      {title}
    </Anchor>
    <span className="quiet">{children}</span>
  </li>
);
