import "./editor.css";
import { Box, Button, Group, Text } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { FolderOpen } from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from "react";
import { type ContentType, OctavoProblem } from "../../../client/src/client.ts";
import { titleOf } from "../api/entry.ts";
import { reaches } from "../api/session.ts";
import { type OpenedEntry, openEntry } from "../api/staged.ts";
import { takeMade } from "../create/made.ts";
import { Beside } from "../desk/beside.tsx";
import { EntriesBelow } from "../desk/entries-below.tsx";
import { type Autosave, useAutosave } from "../draft/autosave.ts";
import { useDue } from "../draft/due.ts";
import { Found } from "../draft/found.tsx";
import { HistoryButton } from "../draft/history-button.tsx";
import { savingOf } from "../draft/saving.ts";
import { useDraft } from "../draft/use-draft.ts";
import { FaultContext, jsonName } from "../field/fault.ts";
import { Form } from "../field/form.tsx";
import { say } from "../language/say.ts";
import type { ConcurrentChange, DraftEdit, Editing, LocalCopy, SaveState } from "../model/draft/editing.ts";
import { keptOf } from "../model/draft/kept.ts";
import type { Types } from "../model/types.ts";
import { Changed } from "../presence/changed.tsx";
import { usePresence } from "../presence/presence.ts";
import { Present } from "../presence/present.tsx";
import { PreviewButton, type PreviewProps } from "../preview/preview.tsx";
import { PublishBar } from "../publish/publish-bar.tsx";
import { entryKey } from "../query/entry.ts";
import { useTypesRead } from "../query/use-types.ts";
import { useSession, useWrites } from "../session-context.ts";
import { Boundary } from "../ui/boundary.tsx";
import { Crumbs } from "../ui/crumbs.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { addressBelow } from "../ui/entry-address.ts";
import { Frozen } from "../ui/frozen.tsx";
import { LeaveQuestion } from "../ui/leave-question.tsx";
import { LocaleSelect } from "../ui/locale-select.tsx";
import { addressOf, go, Link } from "../ui/location.tsx";
import { Page, useTitle } from "../ui/page.tsx";
import { Segments } from "../ui/segments.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { useHidden } from "../ui/undo.tsx";
import { EntryMenu } from "./entry-menu.tsx";
import { Publishing } from "./publishing.tsx";

const NewEntry = lazy(async () => ({ default: (await import("../create/new-entry.tsx")).NewEntry }));
const TypedForm = lazy(async () => ({ default: (await import("../form/typed-form.tsx")).TypedForm }));
const PreviewPane = lazy(async () => ({ default: (await import("../publish/preview-pane.tsx")).PreviewPane }));
const Conflict = lazy(async () => ({ default: (await import("../draft/conflict.tsx")).Conflict }));
const Correction = lazy(async () => ({ default: (await import("./correction.tsx")).Correction }));
const Settle = lazy(async () => ({ default: (await import("../publish/settle.tsx")).Settle }));
const JsonView = lazy(async () => ({ default: (await import("./json-view.tsx")).JsonView }));

/** The editor of the entry with this slug. */
export function Editor({ slug }: { slug: string }) {
  const isDeleted = useHidden().has(`entry:${slug}`);
  const { data, error, refetch } = useQuery({ queryKey: entryKey(slug), queryFn: () => openEntry(slug), retry: false });
  const { types, isReading } = useTypesRead();
  useTitle(data ? titleOf(data.entry) : slug);
  const holder = useSession().token.id;
  const kept = useMemo(
    () => (isMissing(error) ? keptOf(holder, { slug, locale: undefined }) : undefined),
    [error, holder, slug],
  );
  if (isDeleted) {
    return <Empty icon={FolderOpen} title={say("Deleted")} isPage />;
  }
  // Keeps the editor and its unsaved changes when a reload fails: the next save tells whether the entry still exists.
  if (!data || isReading) {
    // Someone else deleted or moved it: what was typed is there all the same.
    if (!data && kept && !isReading) return <Loaded read={kept.base} types={types} missing={error} />;
    if (!data && error) return <Missing slug={slug} error={error} onRetry={() => void refetch()} />;
    return (
      <Box className="page">
        <Loading rows={5} height={64} />
      </Box>
    );
  }
  return <Loaded read={data} types={types} />;
}

const isMissing = (error: unknown): boolean => error instanceof OctavoProblem && error.status === 404;

function Missing({ slug, error, onRetry }: { slug: string; error: unknown; onRetry(): void }) {
  const [isMaking, making] = useDisclosure(false);
  const session = useSession();
  if (!isMissing(error)) {
    return (
      <Page title={slug}>
        <Failure error={error} title={say("The entry cannot be read")} onRetry={onRetry} />
      </Page>
    );
  }
  return (
    <>
      <Empty
        icon={FolderOpen}
        title={say("There is no entry at {slug}", { slug })}
        isPage
        action={
          <Group gap="xs" justify="center">
            {reaches(session, slug) && <Button onClick={making.open}>{say("Create it")}</Button>}
            <Button component={Link} href={addressBelow(slug)} variant="default">
              {say("Show its descendants")}
            </Button>
          </Group>
        }
      >
        {reaches(session, slug)
          ? say("It may have been moved or deleted, or it is a path segment without an entry.")
          : say("You have access to {paths}: nothing else exists for you.", { paths: session.token.paths?.join(", ") })}
      </Empty>
      {isMaking && (
        <Suspense>
          <NewEntry at={slug} onClose={making.close} />
        </Suspense>
      )}
    </>
  );
}

type View = "form" | "json";

type LoadedProps = {
  read: OpenedEntry;
  types: Types | undefined;
  /** Why it could not be read: then it is a draft of what does not exist. */
  missing?: unknown;
};

/** The editor, or the live page below its working copy while that is corrected. */
function Loaded({ read, types, missing }: LoadedProps) {
  const editing = useDraft(read, missing !== undefined);
  const [step, setStep] = useState<"copy" | "live" | "settling">("copy");
  const { base, copy } = editing;
  if (step === "live") {
    const [type, all] = [types?.typeOf(base.slug, base.fieldset), types?.all ?? []];
    return (
      <Box className="page editor">
        <Suspense fallback={<Loading rows={5} height={64} />}>
          <Correction
            copied={base}
            take={editing.take}
            fields={(corrected) => <Fields editing={corrected} view="form" type={type} all={all} />}
            onClose={(asked) => setStep(asked.length > 0 ? "settling" : "copy")}
          />
        </Suspense>
      </Box>
    );
  }
  return (
    <>
      <Edited editing={editing} types={types} missing={missing} onCorrect={() => setStep("live")} />
      {step === "settling" && (
        <Suspense>
          <Settle
            entry={base}
            locale={undefined}
            submit={say("Keep these")}
            onSubmit={copy?.publishAt === undefined ? editing.settle : undefined}
            onClose={() => setStep("copy")}
          />
        </Suspense>
      )}
    </>
  );
}

type EditedProps = Omit<LoadedProps, "read"> & { editing: Editing; onCorrect(): void };

function Edited({ editing, types, missing, onCorrect }: EditedProps) {
  const autosave = useAutosave(editing);
  useDue(editing);
  const presence = usePresence(editing, missing === undefined);
  const mayWrite = useWrites();
  const error = editing.error ?? missing;
  const { view, look, question } = useView(editing);
  const [isPreviewing, preview] = useDisclosure(false);
  const type = types?.typeOf(editing.base.slug, editing.base.fieldset);
  const isFrozen = editing.copy?.publishAt !== undefined || !mayWrite;
  const shown = isFrozen ? { ...editing, edit: noEdit } : editing;
  useHotkeys([["mod+S", () => mayWrite && void editing.save()]], [], true);
  return (
    <Box className="page editor">
      <Head
        editing={editing}
        autosave={autosave}
        view={view}
        names={presence.names}
        onView={look}
        preview={{ isOpen: isPreviewing, onToggle: preview.toggle }}
        onCorrect={onCorrect}
      />
      {error !== undefined && !(type && view === "form" && isOfData(error)) && (
        <Box mb="md">
          <NotSaved editing={editing} error={error} />
        </Box>
      )}
      {editing.found && <Found editing={editing} kept={editing.found} />}
      <div className="editor-split" data-previewing={isPreviewing || undefined}>
        {isPreviewing && (
          <Suspense>
            <PreviewPane editing={editing} onClose={preview.close} />
          </Suspense>
        )}
        <Frozen isFrozen={isFrozen}>
          <fieldset
            className="editor-columns"
            data-frozen={isFrozen || undefined}
            aria-label={mayWrite ? say("Fields") : say("Fields, only to read")}
          >
            <Fields editing={shown} view={view} type={type} all={types?.all ?? []} />
            <Publishing editing={shown} />
          </fieldset>
        </Frozen>
      </div>
      <Changed editing={editing} presence={presence} />
      {editing.theirs && (
        <Suspense>
          <Conflict editing={editing} theirs={editing.theirs.entry} />
        </Suspense>
      )}
      <LeaveQuestion isDirty={editing.isDirty} onDiscard={editing.forget} />
      {question}
    </Box>
  );
}

const noEdit = (): void => undefined;

/** The view of the fields; another one is asked for where it would lose what cannot be read. */
function useView({ faults, fault }: SaveState & LocalCopy): {
  view: View;
  look(chosen: View): void;
  question: ReactNode;
} {
  const [view, setView] = useState<View>(() => (faults.typedBefore(jsonName) === undefined ? "form" : "json"));
  const [wanted, setWanted] = useState<View>();
  const look = (chosen: View): void => (fault === undefined ? setView(chosen) : setWanted(chosen));
  const question = wanted && (
    <Confirm
      title={say("Discard what cannot be read?")}
      submit={say("Discard it")}
      onClose={() => setWanted(undefined)}
      onSubmit={async () => setView(wanted)}
    >
      {say("The other view cannot show it: {fault}. The last state that could be read stays.", { fault })}
    </Confirm>
  );
  return { view, look, question };
}

type FieldsProps = {
  editing: DraftEdit & SaveState & LocalCopy;
  view: View;
  type: ContentType | undefined;
  all: readonly ContentType[];
};

/** The fields as JSON, as their type has them, or each by its kind. */
function Fields({ editing, view, type, all }: FieldsProps) {
  return (
    <Boundary of={view}>
      <FaultContext value={editing.faults}>
        <Suspense fallback={<Loading rows={4} height={88} />}>
          {view === "json" ? (
            <JsonView editing={editing} />
          ) : type ? (
            <TypedForm editing={editing} type={type} all={all} />
          ) : (
            <Form editing={editing} />
          )}
          <FirstFocus slug={editing.base.slug} />
        </Suspense>
      </FaultContext>
    </Boundary>
  );
}

/** The focus begins in the first field of an entry that was just made. Its title was typed: Tab leads to the next one. */
function FirstFocus({ slug }: { slug: string }) {
  useEffect(() => {
    if (takeMade() === slug) document.querySelector<HTMLElement>(".editor-columns :is(input, textarea)")?.focus();
  }, [slug]);
  return null;
}

/** The form of a type shows it at the fields. */
const isOfData = (error: unknown): boolean => error instanceof OctavoProblem && error.code === "data_invalid";

function NotSaved({ editing, error }: { editing: SaveState & ConcurrentChange; error: unknown }) {
  if (error instanceof OctavoProblem && error.code === "scope_missing")
    return <Failure error={refusedScope} title={editing.isDirty ? say("Not saved") : say("Nothing was changed")} />;
  if (!(error instanceof OctavoProblem) || error.code !== "entry_not_found")
    return <Failure error={error} title={editing.isDirty ? say("Not saved") : say("Nothing was changed")} />;
  return (
    <Failure
      error={say("Someone else deleted or moved this entry meanwhile.")}
      title={say("Not saved")}
      retry={editing.isStaged ? say("Create it again as a draft") : say("Create it again")}
      onRetry={() => void editing.createAgain()}
    />
  );
}

const refusedScope = say(
  "You may only create drafts, change working copies, and discard those that you alone have changed.",
);

type HeadProps = {
  editing: Editing;
  autosave: Autosave;
  view: View;
  /** Who else has it open. */
  names: readonly string[];
  onView(view: View): void;
  preview: PreviewProps;
  onCorrect(): void;
};

function Head({ editing, autosave, view, names, onView, preview, onCorrect }: HeadProps) {
  const { base, draft } = editing;
  const mayWrite = useWrites();
  return (
    <header className="editor-head">
      <div className="editor-name">
        <div className="editor-place">
          <Crumbs label={say("Path")} root="entries" path={base.slug} addressOf={addressBelow} />
          <Present names={names} />
        </div>
        <h1 className="editor-title" dir="auto">
          {titleOf({ slug: base.slug, title: draft.title })}
        </h1>
      </div>
      <Group gap="xs" justify="flex-end" className="editor-actions">
        <Text size="xs" c="dimmed" aria-live="polite" className="editor-state">
          {mayWrite ? savingOf(editing, autosave) : say("Only to read")}
        </Text>
        <Beside slug={base.slug} />
        <EntriesBelow slug={base.slug} />
        <LocaleSelect locale={undefined} onChange={(locale) => go(addressOf("entries", base.slug, { locale }))} />
        <Segments label={say("View")} options={{ form: say("Form"), json: "JSON" }} value={view} onChange={onView} />
        <PreviewButton {...preview} />
        <HistoryButton editing={editing} />
        <EntryMenu editing={editing} autosave={autosave} onCorrect={onCorrect} />
      </Group>
      <PublishBar editing={editing} />
    </header>
  );
}
