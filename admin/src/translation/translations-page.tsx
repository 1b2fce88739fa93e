import "./translation.css";
import { Badge, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { useState } from "react";
import type { EntryChild } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { nameOf } from "../api/path.ts";
import { pathsBelow, type Session, writesIn } from "../api/session.ts";
import { countTranslations, type TranslationState } from "../api/translation.ts";
import { say } from "../language/say.ts";
import { stateWords } from "../model/form/translation.ts";
import { formatCount } from "../model/format.ts";
import { languageName, languageOf } from "../model/locale.ts";
import { messageOf } from "../model/message.ts";
import { useSession } from "../session-context.ts";
import { type Column, ListTable } from "../ui/list.tsx";
import { addressOf, Link, type PageAddress } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { PathLinks } from "../ui/path-links.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { ImportXliff } from "./import-xliff.tsx";
import { TranslationList } from "./translation-list.tsx";

/** How far the sections are translated, and with a locale the entries of one. Both are part of the URL. */
export function TranslationsPage({ place: { path, search } }: { place: PageAddress }) {
  const session = useSession();
  const locale = search.get("locale");
  const inside = pathsBelow(session, path);
  if (locale !== null && session.locales?.includes(locale) && locale !== session.locales[0])
    return <TranslationList key={`${path} ${locale}`} path={path} locale={locale} search={search} />;
  return (
    <Page
      isWide
      title={say("Translations")}
      description={
        path === ""
          ? say("How far each section is translated.")
          : say("How far what is below {path} is translated.", { path })
      }
      actions={<ImportXliff />}
    >
      {inside.length > 0 ? <PathLinks page="translations" paths={inside} /> : <Sections key={path} path={path} />}
    </Page>
  );
}

/** Each is counted by a read of its own. */
const sectionsAtOnce = 25;

type Section = { id: string; title: string; isAll?: boolean };

function Sections({ path }: { path: string }) {
  const [shown, setShown] = useState(sectionsAtOnce);
  const session = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ["children", path, "sections"],
    queryFn: async () => (await octavo.entries.children(path)).filter(({ has_children }) => has_children),
  });
  if (error) return <Failure error={error} title={say("The sections cannot be read")} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={4} height={52} />;
  const all: Section = {
    id: path,
    title: path === "" ? say("All entries") : say("All of {name}", { name: nameOf(path) }),
    isAll: true,
  };
  return (
    <>
      <ListTable
        rows={[all, ...data.slice(0, shown).map(sectionOf)]}
        columns={columnsOf(localesOf(session))}
        keyOf={({ id, isAll }) => (isAll ? "" : id)}
      />
      <ShowMore
        list={{
          hasNextPage: data.length > shown,
          isFetchingNextPage: false,
          fetchNextPage: () => setShown(shown + sectionsAtOnce),
        }}
      />
    </>
  );
}

const sectionOf = ({ slug, entry }: EntryChild): Section => ({ id: slug, title: entry?.title || nameOf(slug) });

/** Those in which one writes, if there are some. */
function localesOf(session: Session): readonly string[] {
  const others = session.locales?.slice(1) ?? [];
  const own = others.filter((locale) => writesIn(session, locale));
  return own.length > 0 ? own : others;
}

const columnsOf = (locales: readonly string[]): Column<Section>[] => [
  {
    label: say("Section"),
    show: ({ id, title, isAll }) =>
      isAll ? (
        <b>{title}</b>
      ) : (
        <Link className="row-name count-link" href={addressOf("translations", id)} dir="auto">
          {title}
        </Link>
      ),
  },
  ...locales.map((locale) => ({
    label: languageOf(locale),
    show: (section: Section) => <Counts section={section} locale={locale} />,
  })),
];

/** What is left to do, and leads to it. */
function Counts({ section: { id, title }, locale }: { section: Section; locale: string }) {
  const { data, error } = useQuery({
    queryKey: ["translations", "counts", id],
    queryFn: () => countTranslations(id),
    retry: false,
  });
  if (error) return <span title={messageOf(error)}>{say("Too many to count")}</span>;
  if (!data) return <Skeleton height={24} width={90} />;
  const { entries = 0, missing = 0, outdated = 0 } = data[locale] ?? {};
  const link = (state: TranslationState, words: string) => (
    <Link
      className="count-link"
      href={addressOf("translations", id, { locale, state })}
      aria-label={say("{title}: {words} in {language}", { title, words, language: languageName(locale) })}
    >
      <Badge color={stateWords[state].color}>{words}</Badge>
    </Link>
  );
  return (
    <span className="counts">
      {outdated > 0 && link("outdated", say("{outdated} outdated", { outdated: formatCount(outdated) }))}
      {missing > 0 &&
        link(
          "missing",
          say("{missing} of {entries} missing", { missing: formatCount(missing), entries: formatCount(entries) }),
        )}
      {outdated + missing === 0 &&
        (entries > 0 ? (
          link("done", say("{entries} done", { entries: formatCount(entries) }))
        ) : (
          <FileText size={14} aria-label={say("No entries")} />
        ))}
    </span>
  );
}
