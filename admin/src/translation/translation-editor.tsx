import "../form/form.css";
import "../publish/publish.css";
import "./translation.css";
import { Box, Group, Text } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Languages } from "lucide-react";
import { useCallback, useMemo, useRef } from "react";
import { titleOf } from "../api/entry.ts";
import { isObject } from "../api/json.ts";
import { writesIn, writesLive } from "../api/session.ts";
import { type OpenedTranslation, openTranslation, sourcesBefore } from "../api/translation.ts";
import { Beside } from "../desk/beside.tsx";
import { EntriesBelow } from "../desk/entries-below.tsx";
import type { Edit } from "../form/context.ts";
import { FormContext, type FormState } from "../form/context.ts";
import { byPointer, faultsOf } from "../model/form/faults.ts";
import { fieldState, translatable } from "../model/form/translation.ts";
import { languageName } from "../model/locale.ts";
import type { Types } from "../model/types.ts";
import { useTypesRead } from "../query/use-types.ts";
import { useSession } from "../session-context.ts";
import { Crumbs } from "../ui/crumbs.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { addressBelow } from "../ui/entry-address.ts";
import { LeaveQuestion } from "../ui/leave-question.tsx";
import { LocaleSelect } from "../ui/locale-select.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { Page, useTitle } from "../ui/page.tsx";
import { ReadOnlyContext } from "../ui/read-only.ts";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { TranslatedField } from "./translated-field.tsx";
import { TranslationBar } from "./translation-bar.tsx";
import { isOvertaken, type Translating, translationKey, useTranslation } from "./use-translation.ts";

type EditorProps = { slug: string; locale: string };

/** What an entry says in a language other than the source's, beside its source. */
export function TranslationEditor({ slug, locale }: EditorProps) {
  const { data, error, refetch } = useQuery({
    queryKey: translationKey(slug, locale),
    queryFn: () => openTranslation(slug, locale),
    retry: false,
  });
  const { types, isReading } = useTypesRead();
  useTitle(`${data ? titleOf(data.source) : slug}, ${languageName(locale)}`);
  if (data && !isReading) return <Loaded read={data} types={types} />;
  if (error)
    return (
      <Page title={slug} actions={<LanguageOf slug={slug} locale={locale} />}>
        <Failure error={error} title="The translation cannot be read" onRetry={() => void refetch()} />
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
  const editing = useTranslation(read);
  const { base, error, save } = editing;
  const session = useSession();
  const isFrozen = base.copy?.publishAt !== undefined || !writesIn(session, base.locale);
  useHotkeys([["mod+S", () => !isFrozen && void save()]], [], true);
  return (
    <Box className="page editor">
      <Head editing={editing} isFrozen={isFrozen} />
      {error !== undefined && (
        <Box mb="md">
          <NotSaved editing={editing} />
        </Box>
      )}
      <ReadOnlyContext value={isFrozen}>
        <Fields editing={editing} types={types} isFrozen={isFrozen} />
      </ReadOnlyContext>
      <LeaveQuestion isDirty={editing.isDirty} />
    </Box>
  );
}

function NotSaved({ editing: { error, isDirty } }: { editing: Translating }) {
  if (!isOvertaken(error)) return <Failure error={error} title={isDirty ? "Not saved" : "Nothing was changed"} />;
  return (
    <Failure
      error="Someone else changed this translation meanwhile. It is shown as it is now, with what you have typed: save again to keep that."
      title="Not saved"
    />
  );
}

function Head({ editing, isFrozen }: { editing: Translating; isFrozen: boolean }) {
  const { base, draft, isDirty } = editing;
  const { slug, locale, source } = base;
  const [isDiscarding, discarding] = useDisclosure(false);
  const title = titleOf({ slug, title: draft.title ?? source.title ?? "" });
  return (
    <header className="editor-head">
      <div className="editor-name">
        <Crumbs label="Path" root="entries" path={slug} addressOf={addressBelow} />
        <h1 className="editor-title" dir="auto">
          {title}
        </h1>
      </div>
      <Group gap="xs" justify="flex-end" className="editor-actions">
        <Text size="xs" c="dimmed" aria-live="polite" className="editor-state">
          {isDirty ? "Not saved" : "Saved"}
        </Text>
        <Beside slug={slug} locale={locale} />
        <EntriesBelow slug={slug} />
        <LanguageOf slug={slug} locale={locale} />
      </Group>
      <TranslationBar editing={editing} isFrozen={isFrozen} onDiscard={discarding.open} />
      {isDiscarding && (
        <Confirm
          title="Discard the unpublished changes?"
          submit="Discard changes"
          onSubmit={editing.discard}
          onClose={discarding.close}
        >
          The entry says in {languageName(locale)} what it says on the site. The changes are not kept in its history.
        </Confirm>
      )}
    </header>
  );
}

type FieldsProps = { editing: Translating; types: Types | undefined; isFrozen: boolean };

function Fields({ editing, types, isFrozen }: FieldsProps) {
  const { base, draft, edit, error } = editing;
  const { source, locale, slug } = base;
  const type = types?.typeOf(slug, source.fieldset);
  const fields = useMemo(() => translatable(base, type, types?.all ?? []), [base, type, types]);
  const { data: before = {} } = useSourcesBefore(base);
  const state = useMemo<FormState>(
    () => ({ slug, faults: byPointer(faultsOf(error)), target: undefined }),
    [slug, error],
  );
  const change = useCallback<Edit>(
    (own) =>
      edit((now) => {
        const after = own(now);
        return isObject(after) ? after : now;
      }),
    [edit],
  );
  const isLive = writesLive(useSession(), locale);
  const latest = useRef(editing);
  latest.current = editing;
  const check = useCallback((name: string) => void latest.current.check(name, isLive), [isLive]);
  if (fields.length === 0) return <NothingToTranslate type={type?.title || type?.id} />;
  return (
    <FormContext value={state}>
      <fieldset className="translated" disabled={isFrozen} aria-label={`Fields in ${languageName(locale)}`}>
        {fields.map((field) => (
          <TranslatedField
            key={field.name}
            field={field}
            base={base}
            before={before[field.name]}
            value={draft[field.name]}
            state={fieldState(field.name, base)}
            isFrozen={isFrozen}
            edit={change}
            onCheck={check}
          />
        ))}
      </fieldset>
    </FormContext>
  );
}

/** What the source said when it was translated, of the fields that are outdated. */
const useSourcesBefore = (base: OpenedTranslation) =>
  useQuery({
    queryKey: ["history", base.slug, "before", base.locale, base.row.revision, base.source.modified_at],
    queryFn: () => sourcesBefore(base, base.row.outdated),
    enabled: base.row.outdated.length > 0,
    retry: false,
  });

const NothingToTranslate = ({ type }: { type: string | undefined }) => (
  <Empty icon={Languages} title="Nothing to translate">
    {type === undefined
      ? "The source has no fields yet."
      : `All languages share the fields of ${type}: its schema marks none with x-octavo-localized.`}
  </Empty>
);
