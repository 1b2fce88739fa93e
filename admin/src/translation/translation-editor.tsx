import "../form/form.css";
import "./translation.css";
import { Box, Group, Text } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Languages } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo, useRef } from "react";
import { isObject } from "../api/json.ts";
import { type OpenedTranslation, openedTitle, openTranslation, type Translated } from "../api/staged.ts";
import { sourcesBefore } from "../api/translation.ts";
import { Beside } from "../desk/beside.tsx";
import { EntriesBelow } from "../desk/entries-below.tsx";
import { type Autosave, useAutosave } from "../draft/autosave.ts";
import { Conflict } from "../draft/conflict.tsx";
import { useDue } from "../draft/due.ts";
import { Found } from "../draft/found.tsx";
import { HistoryButton } from "../draft/history-button.tsx";
import { savingOf } from "../draft/saving.ts";
import { useDraft } from "../draft/use-draft.ts";
import { FaultContext } from "../field/fault.ts";
import { type Edit, FormContext, type FormState } from "../form/context.ts";
import { say } from "../language/say.ts";
import type { ConcurrentChange, DraftEdit, LocalCopy, SaveState, StoredState } from "../model/draft/editing.ts";
import type { Publications } from "../model/draft/publications.ts";
import { byPointer, faultsOf } from "../model/form/faults.ts";
import { fieldState, translatable } from "../model/form/translation.ts";
import { languageName } from "../model/locale.ts";
import type { Types } from "../model/types.ts";
import { PreviewButton, type PreviewProps } from "../preview/preview.tsx";
import { PublishBar } from "../publish/publish-bar.tsx";
import { entryKey } from "../query/entry.ts";
import { useTypesRead } from "../query/use-types.ts";
import { useWrites, useWritesLive } from "../session-context.ts";
import { Crumbs } from "../ui/crumbs.tsx";
import { addressBelow } from "../ui/entry-address.ts";
import { Frozen } from "../ui/frozen.tsx";
import { LeaveQuestion } from "../ui/leave-question.tsx";
import { LocaleSelect } from "../ui/locale-select.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { Page, useTitle } from "../ui/page.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { checking } from "./checking.ts";
import { TranslatedField } from "./translated-field.tsx";
import { TranslatedPath } from "./translated-path.tsx";
import { TranslationMenu } from "./translation-menu.tsx";

const PreviewPane = lazy(async () => ({ default: (await import("../publish/preview-pane.tsx")).PreviewPane }));

type EditorProps = { slug: string; locale: string };

/** What an entry says in a language other than the source's, beside its source. */
export function TranslationEditor({ slug, locale }: EditorProps) {
  const { data, error, refetch } = useQuery({
    queryKey: entryKey(slug, locale),
    queryFn: () => openTranslation(slug, locale),
    retry: false,
  });
  const { types, isReading } = useTypesRead();
  useTitle(`${data ? openedTitle(data.entry, data.translation) : slug}, ${languageName(locale)}`);
  if (data && !isReading) return <Loaded read={data} types={types} />;
  if (error)
    return (
      <Page title={slug} actions={<LanguageOf slug={slug} locale={locale} />}>
        <Failure error={error} title={say("The translation cannot be read")} onRetry={() => void refetch()} />
      </Page>
    );
  return (
    <Box className="page">
      <Loading rows={5} height={64} />
    </Box>
  );
}

const LanguageOf = ({ slug, locale }: EditorProps) => (
  <LocaleSelect locale={locale} onChange={(chosen) => go(addressOf("entries", slug, { locale: chosen }))} />
);

function Loaded({ read, types }: { read: OpenedTranslation; types: Types | undefined }) {
  const editing = useDraft(read);
  const autosave = useAutosave(editing);
  useDue(editing);
  const { base, tag, copy, translation = read.translation, error, isDirty } = editing;
  const [isPreviewing, preview] = useDisclosure(false);
  const mayWrite = useWrites(translation.locale);
  const isFrozen = copy?.publishAt !== undefined || !mayWrite;
  const opened = useMemo(() => ({ entry: base, tag, copy, translation }), [base, tag, copy, translation]);
  useHotkeys([["mod+S", () => !isFrozen && void editing.save()]], [], true);
  return (
    <Box className="page editor">
      <Head
        editing={editing}
        translation={translation}
        autosave={autosave}
        preview={{ locale: translation.locale, isOpen: isPreviewing, onToggle: preview.toggle }}
      />
      {error !== undefined && (
        <Box mb="md">
          <Failure error={error} title={isDirty ? say("Not saved") : say("Nothing was changed")} />
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
          <FaultContext value={editing.faults}>
            <Fields editing={editing} opened={opened} types={types} isFrozen={isFrozen} />
          </FaultContext>
        </Frozen>
      </div>
      {editing.theirs && <Conflict editing={editing} theirs={editing.theirs.entry} />}
      <LeaveQuestion isDirty={isDirty} onDiscard={editing.forget} />
    </Box>
  );
}

type HeadEditing = StoredState & DraftEdit & SaveState & LocalCopy & Publications & Pick<ConcurrentChange, "follow">;

type HeadProps = { editing: HeadEditing; translation: Translated; autosave: Autosave; preview: PreviewProps };

function Head({ editing, translation, autosave, preview }: HeadProps) {
  const { base, draft } = editing;
  const { slug } = base;
  const { locale } = translation;
  return (
    <header className="editor-head">
      <div className="editor-name">
        <Crumbs label={say("Path")} root="entries" path={slug} addressOf={addressBelow} />
        <h1 className="editor-title" dir="auto">
          {openedTitle({ ...draft, slug }, translation)}
        </h1>
        <TranslatedPath editing={editing} translation={translation} />
      </div>
      <Group gap="xs" justify="flex-end" className="editor-actions">
        <Text size="xs" c="dimmed" aria-live="polite" className="editor-state">
          {savingOf(editing, autosave)}
        </Text>
        <Beside slug={slug} locale={locale} />
        <EntriesBelow slug={slug} />
        <LanguageOf slug={slug} locale={locale} />
        <PreviewButton {...preview} />
        <HistoryButton editing={editing} />
        <TranslationMenu editing={editing} translation={translation} autosave={autosave} />
      </Group>
      <PublishBar editing={editing} />
    </header>
  );
}

const noEdit = (): void => undefined;

type FieldsProps = {
  editing: DraftEdit & SaveState & Pick<ConcurrentChange, "follow">;
  opened: OpenedTranslation;
  types: Types | undefined;
  isFrozen: boolean;
};

function Fields({ editing, opened, types, isFrozen }: FieldsProps) {
  const { draft, edit, error, follow } = editing;
  const { translation } = opened;
  const { source, locale } = translation;
  const { slug } = source;
  const type = types?.typeOf(slug, source.fieldset);
  const fields = useMemo(() => translatable(opened, type, types?.all ?? []), [opened, type, types]);
  const { data: before = {} } = useSourcesBefore(translation);
  const state = useMemo<FormState>(
    () => ({ slug, faults: byPointer(faultsOf(error)), target: undefined }),
    [slug, error],
  );
  const latest = useRef(edit);
  latest.current = isFrozen ? noEdit : edit;
  const change = useCallback<Edit>(
    (own) =>
      latest.current((now) => {
        const after = own(now);
        return isObject(after) ? after : now;
      }),
    [],
  );
  const isLive = useWritesLive(locale);
  const check = useRef(checking({ opened, isLive, follow }));
  check.current = checking({ opened, isLive, follow });
  const onCheck = useCallback((name: string) => check.current(name), []);
  if (fields.length === 0) return <NothingToTranslate type={type?.title || type?.id} />;
  return (
    <FormContext value={state}>
      <fieldset
        className="translated"
        data-frozen={isFrozen || undefined}
        aria-label={say("Fields in {language}", { language: languageName(locale) })}
      >
        {fields.map((field) => (
          <TranslatedField
            key={field.name}
            field={field}
            base={opened}
            before={before[field.name]}
            value={draft[field.name]}
            state={fieldState(field.name, opened)}
            isFrozen={isFrozen}
            edit={change}
            onCheck={onCheck}
          />
        ))}
      </fieldset>
    </FormContext>
  );
}

/** What the source said when it was translated, of the fields that are outdated. */
const useSourcesBefore = ({ locale, source, row }: Translated) =>
  useQuery({
    queryKey: ["history", source.slug, "before", locale, row.revision, source.modified_at],
    queryFn: () => sourcesBefore({ source, row }, row.outdated),
    enabled: row.outdated.length > 0,
    retry: false,
  });

const NothingToTranslate = ({ type }: { type: string | undefined }) => (
  <Empty icon={Languages} title={say("Nothing to translate")}>
    {type === undefined
      ? say("The source has no fields yet.")
      : say("All languages share the fields of {type}: its schema marks none with x-octavo-localized.", { type })}
  </Empty>
);
