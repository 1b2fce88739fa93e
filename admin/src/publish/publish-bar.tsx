import "./publish.css";
import { ActionIcon, Anchor, Button, Group, Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import {
  CalendarClock,
  CalendarDays,
  CalendarOff,
  ChevronDown,
  ExternalLink,
  Eye,
  EyeOff,
  Layers,
  Trash2,
} from "lucide-react";
import { lazy, type RefObject, Suspense, useLayoutEffect, useRef, useState } from "react";
import { type Entry, readEntry, type Visibility } from "../api/entry.ts";
import { openedTitle } from "../api/staged.ts";
import { say } from "../language/say.ts";
import type { DraftEdit, SaveState, StoredState } from "../model/draft/editing.ts";
import type { Publications } from "../model/draft/publications.ts";
import { type Publication, siteAddress } from "../model/draft/published.ts";
import { type StateWords, translationWords, wordsOf } from "../model/entry/state-words.ts";
import { languageName } from "../model/locale.ts";
import { useReleases } from "../query/releases.ts";
import { useSession, useWrites, useWritesLive } from "../session-context.ts";
import { Confirm } from "../ui/dialog.tsx";
import { offerUndo } from "../ui/undo.tsx";
import { PublishWords } from "./publish-words.tsx";
import { undoWith } from "./undo.ts";

const StagedDifference = lazy(async () => ({
  default: (await import("../history/staged-difference.tsx")).StagedDifference,
}));
const Settle = lazy(async () => ({ default: (await import("./settle.tsx")).Settle }));
const ScheduleDialog = lazy(async () => ({ default: (await import("../ui/schedule-dialog.tsx")).ScheduleDialog }));
const UnpublishDialog = lazy(async () => ({ default: (await import("./unpublish-dialog.tsx")).UnpublishDialog }));
const AddToRelease = lazy(async () => ({ default: (await import("../release/add-dialog.tsx")).AddToRelease }));
const DateDialog = lazy(async () => ({ default: (await import("./date-dialog.tsx")).DateDialog }));

/** What the bar asks in a dialog. */
type OpenDialog = "difference" | "outdated" | "release" | "schedule" | "unpublish" | "date" | "discard";
/** What it needs of the editor. */
type BarEditing = StoredState & DraftEdit & SaveState & Publications;
type PartProps = { editing: BarEditing; ask(what: OpenDialog): void };
type ActionsProps = PartProps & { onPublish(): void; onUnpublish(): void };

/** How an entry, or what it says in a language, stands and how it gets on the site and off it: the one place for that. */
export function PublishBar({ editing }: { editing: BarEditing }) {
  const [asked, ask] = useState<OpenDialog>();
  const publish = usePublish(editing);
  const words = useWords(editing);
  return (
    <section className="publish-bar" aria-label={say("Publishing")} tabIndex={-1} ref={useKeptFocus()}>
      <PublishWords words={words} copy={editing.copy}>
        <Button size="compact-xs" variant="default" onClick={() => ask("outdated")}>
          {say("Compare")}
        </Button>
      </PublishWords>
      <Group gap="xs" justify="flex-end" className="publish-acts">
        <Actions
          editing={editing}
          ask={ask}
          onPublish={() => void publish.now()}
          onUnpublish={() => void publish.unpublish(undefined)}
        />
      </Group>
      {asked && <Question asked={asked} editing={editing} publish={publish} onClose={() => ask(undefined)} />}
    </section>
  );
}

/** Keeps the focus in a section when what has it is switched off, or goes: after `Publish` there is nothing to publish. */
function useKeptFocus(): RefObject<HTMLElement | null> {
  const section = useRef<HTMLElement>(null);
  const last = useRef<Element>(undefined);
  // After each render, before the browser takes the focus away.
  useLayoutEffect(() => {
    const { activeElement: active } = document;
    const isOff = (element: Element): boolean => !element.isConnected || element.matches(":disabled");
    if (last.current && isOff(last.current) && (active === document.body || active === last.current))
      section.current?.focus({ preventScroll: true });
    last.current = section.current?.contains(document.activeElement)
      ? (document.activeElement ?? undefined)
      : undefined;
  });
  return section;
}

/** The state in words. Of a copy that makes a draft it is read what it is a copy of. */
function useWords({ base, copy, translation }: StoredState): StateWords {
  const isUnknown = copy !== undefined && base.visibility === "draft" && !translation;
  const { data } = useQuery({
    queryKey: ["entry", base.slug, "state"],
    queryFn: async () => (await readEntry(base.slug)).entry.visibility,
    enabled: isUnknown,
    retry: false,
  });
  const live: Visibility | undefined = isUnknown ? data : base.visibility;
  const nowSeconds = Date.now() / 1000;
  if (translation) return translationWords({ visibility: base.visibility, copy, translation });
  return wordsOf({ visibility: base.visibility, publishedAt: base.published_at, copy, live, nowSeconds });
}

type Publish = {
  now(): Promise<void>;
  settled: Publications["publish"];
  unpublish: Publications["unpublish"];
};

/** Publishes, says so with the address, and offers to undo it. */
function usePublish(editing: StoredState & Publications): Publish {
  const { site_url: template } = useSession();
  const undo = undoWith(editing.take);
  const told = (verb: string, publication: Publication | undefined): Publication | undefined => {
    if (!publication) return undefined;
    const { entry, translation } = publication.after;
    const address = verb === "Published" && !translation ? siteAddress(template, entry) : undefined;
    const where = <Where address={address} slug={entry.slug} locale={translation?.locale} />;
    offerUndo(verb, openedTitle(entry, translation), () => undo(publication), where);
    return publication;
  };
  const settled: Publish["settled"] = async (choices) => told(say("Published"), await editing.publish(choices));
  return {
    settled,
    now: async () => void (await settled()),
    unpublish: async (at) => told(say("Taken off the site:"), await editing.unpublish(at)),
  };
}

type WhereProps = { address: string | undefined; slug: string; locale: string | undefined };

const Where = ({ address, slug, locale }: WhereProps) =>
  address === undefined ? (
    locale ? (
      say("{id} in {language}", { id: slug, language: languageName(locale) })
    ) : (
      slug
    )
  ) : (
    <Anchor href={address} target="_blank" rel="noreferrer" size="xs">
      {address}
    </Anchor>
  );

function Actions({ editing, ask, onPublish, onUnpublish }: ActionsProps) {
  const { base, copy, translation, isDirty, isSaving, fault } = editing;
  const { chosen } = useReleases();
  const { mayWrite, mayPublish, publishWord, saveWord } = useRights(translation?.locale);
  const isReleased = copy?.release !== undefined;
  const isFrozen = copy?.publishAt !== undefined;
  const isDraft = base.visibility === "draft" && copy === undefined;
  const isLive = copy === undefined && !isDraft;
  const isNothing = !isDirty && (isLive || isBlank(editing));
  const isHeld = isSaving || fault !== undefined;
  const isOutdated = (copy?.outdated.length ?? 0) > 0;
  const settle = async (): Promise<void> => {
    if (isDirty) await editing.save();
    ask("outdated");
  };
  return (
    <>
      {isLive && !translation && <ViewOnSite entry={base} />}
      {copy && (
        <Button size="xs" variant="default" onClick={() => ask("difference")}>
          {say("What differs")}
        </Button>
      )}
      {isFrozen && mayPublish && !isReleased && (
        <Button size="xs" variant="default" loading={isSaving} onClick={() => void editing.schedule(null)}>
          {say("Take back")}
        </Button>
      )}
      {mayWrite && !isFrozen && (
        <Button
          size="xs"
          variant={mayPublish && !isReleased && !chosen ? "default" : "filled"}
          disabled={!isDirty || isHeld}
          onClick={() => void editing.save()}
        >
          {saveWord}
        </Button>
      )}
      {mayWrite && !isFrozen && isReleased && (
        <Button size="xs" variant="default" disabled={isHeld} onClick={() => void editing.place(null)}>
          {say("Take out of the release")}
        </Button>
      )}
      {mayPublish && !isFrozen && !isReleased && (
        <Button
          size="xs"
          variant={chosen ? "default" : "filled"}
          disabled={isHeld || isNothing}
          loading={isSaving}
          onClick={() => (isOutdated ? void settle() : onPublish())}
        >
          {publishWord}
        </Button>
      )}
      {mayWrite && !isFrozen && <More editing={editing} ask={ask} onUnpublish={onUnpublish} />}
    </>
  );
}

/** What one may do in a language, and in which words: where there are several, each is published by itself. */
function useRights(locale: string | undefined) {
  const mayWrite = useWrites(locale);
  const mayPublish = useWritesLive(locale);
  const [source, ...others] = useSession().locales ?? [];
  const own = locale ?? source;
  return {
    mayWrite,
    mayPublish,
    publishWord:
      own !== undefined && others.length > 0
        ? say("Publish {language}", { language: languageName(own) })
        : say("Publish"),
    saveWord: locale !== undefined && !mayPublish ? say("Hand over") : say("Save draft"),
  };
}

/** A language in which the entry says nothing. */
const isBlank = ({ translation, copy }: StoredState): boolean =>
  translation !== undefined && !translation.row.exists && copy === undefined;

function ViewOnSite({ entry }: { entry: Entry }) {
  const address = siteAddress(useSession().site_url, entry);
  if (address === undefined) return null;
  return (
    <Button
      size="xs"
      component="a"
      href={address}
      target="_blank"
      rel="noreferrer"
      variant="default"
      leftSection={<ExternalLink size={14} />}
    >
      {say("View on site")}
    </Button>
  );
}

/** What is done less often. */
function More({ editing, ask, onUnpublish }: Omit<ActionsProps, "onPublish">) {
  const { base, copy, translation, isDirty, isSaving, fault } = editing;
  const { mayPublish } = useRights(translation?.locale);
  const isLive = base.visibility !== "draft";
  const isReleased = copy?.release !== undefined;
  const isHeld = isSaving || fault !== undefined;
  const isOff = isHeld || isDirty || !isLive;
  const isNothing = !copy && !isDirty && (isLive || isBlank(editing));
  if (!mayPublish && isNothing) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={30} variant="default" aria-label={say("More ways to publish")}>
          <ChevronDown size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!isReleased && (
          <Menu.Item leftSection={<Layers size={15} />} disabled={isHeld || isNothing} onClick={() => ask("release")}>
            {say("Add to a release…")}
          </Menu.Item>
        )}
        {mayPublish && (
          <>
            {!isReleased && (
              <Menu.Item
                leftSection={<CalendarClock size={15} />}
                disabled={isHeld || isNothing}
                onClick={() => ask("schedule")}
              >
                {say("Schedule…")}
              </Menu.Item>
            )}
            <Menu.Item leftSection={<EyeOff size={15} />} disabled={isOff} onClick={onUnpublish}>
              {say("Unpublish")}
            </Menu.Item>
            <Menu.Item leftSection={<CalendarOff size={15} />} disabled={isOff} onClick={() => ask("unpublish")}>
              {say("Unpublish at…")}
            </Menu.Item>
            {!translation && <DateItems editing={editing} ask={ask} />}
          </>
        )}
        {copy && (
          <Menu.Item leftSection={<Trash2 size={15} />} disabled={isDirty || isSaving} onClick={() => ask("discard")}>
            {say("Discard the changes…")}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** In lists or not, and under which date: changes that are saved or published next. */
function DateItems({ editing: { draft, edit }, ask }: PartProps) {
  const isHidden = draft.visibility === "hidden";
  return (
    <>
      <Menu.Divider />
      {draft.visibility !== "draft" && (
        <Menu.Item
          leftSection={<Eye size={15} />}
          onClick={() => edit((before) => ({ ...before, visibility: isHidden ? "visible" : "hidden" }))}
        >
          {isHidden ? say("Show in lists") : say("Hide from lists")}
        </Menu.Item>
      )}
      <Menu.Item leftSection={<CalendarDays size={15} />} onClick={() => ask("date")}>
        {say("Publish date…")}
      </Menu.Item>
    </>
  );
}

type QuestionProps = { asked: OpenDialog; editing: BarEditing; publish: Publish; onClose(): void };

function Question({ asked, editing, publish, onClose }: QuestionProps) {
  const { base, copy, translation } = editing;
  const locale = translation?.locale;
  const { mayWrite, mayPublish } = useRights(locale);
  const isOpen = copy?.publishAt === undefined;
  // With others it is published later.
  const settling =
    copy?.release === undefined
      ? { submit: say("Publish"), onSubmit: mayPublish && isOpen ? publish.settled : undefined }
      : { submit: say("Keep these"), onSubmit: mayWrite && isOpen ? editing.settle : undefined };
  return (
    <Suspense>
      {asked === "difference" && <StagedDifference staged={base} locale={locale} onClose={onClose} />}
      {asked === "outdated" && <Settle entry={base} locale={locale} {...settling} onClose={onClose} />}
      {asked === "release" && <AddToRelease onSubmit={({ id }) => editing.place(id)} onClose={onClose} />}
      {asked === "schedule" && (
        <ScheduleDialog outdated={copy?.outdated ?? []} onSubmit={editing.schedule} onClose={onClose} />
      )}
      {asked === "unpublish" && (
        <UnpublishDialog hasCopy={copy !== undefined} onSubmit={publish.unpublish} onClose={onClose} />
      )}
      {asked === "date" && <DateDialog editing={editing} onClose={onClose} />}
      {asked === "discard" && (
        <Confirm
          title={say("Discard the unpublished changes?")}
          submit={say("Discard changes")}
          onSubmit={editing.discardCopy}
          onClose={onClose}
        >
          {locale
            ? say("What the entry says in {language} stays as it is published.", { language: languageName(locale) })
            : say("The entry stays as it is published.")}{" "}
          {say("The changes are not kept in its history.")}
          {!mayPublish && ` ${say("You can discard them only if nobody else has changed them, too.")}`}
        </Confirm>
      )}
    </Suspense>
  );
}
