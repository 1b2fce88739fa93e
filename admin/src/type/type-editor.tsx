import "./type.css";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { useState } from "react";
import { say } from "../language/say.ts";
import { changesOf, type FieldChange } from "../model/type/field-change.ts";
import { isReadable } from "../model/type/schema-edit.ts";
import { useMayChangeTypes } from "../query/types.ts";
import { LeaveQuestion } from "../ui/leave-question.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { ReadOnlyContext } from "../ui/read-only.ts";
import { Segments } from "../ui/segments.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { CheckDialog } from "./check-dialog.tsx";
import { type SchemaFault, SchemaFaultContext, schemaFaultOf, storedFaultOf } from "./fault-place.ts";
import { FieldChangeDialog } from "./field-change-dialog.tsx";
import { FieldList } from "./field-list.tsx";
import { RenameContext } from "./rename-context.ts";
import { SchemaJson } from "./schema-json.tsx";
import { TypeConflict } from "./type-conflict.tsx";
import { TypeFacts } from "./type-facts.tsx";
import { TypeMenu } from "./type-menu.tsx";
import { readType, type TaggedType, type TypeEditing, useTypeDraft } from "./use-type-draft.ts";

/** The editor of a type: its fields, and the JSON of the same schema. */
export function TypeEditor({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["type", id],
    queryFn: ({ signal }) => readType(id, signal),
    // The draft begins with what is stored now.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error)
    return (
      <Page title={id}>
        <Failure error={error} title={say("The type cannot be read")} onRetry={() => void refetch()} />
      </Page>
    );
  if (!data)
    return (
      <Page title={id}>
        <Loading />
      </Page>
    );
  return <Loaded read={data} />;
}

function Loaded({ read }: { read: TaggedType }) {
  const editing = useTypeDraft(read);
  const { id, draft, storedFault, isDirty, isStricter, error, isConflict } = editing;
  const mayChange = useMayChangeTypes();
  const [jsonFault, setJsonFault] = useState<string>();
  const [asked, setAsked] = useState<"check" | "save">();
  /** What is asked about: it stays while the answer changes the type. */
  const [gone, setGone] = useState<readonly FieldChange[]>([]);
  const changes = changesOf(editing.base.schema, draft.schema, editing.renamings);
  const close = (): void => {
    setAsked(undefined);
    setGone([]);
  };
  const saveRest = (): void => {
    close();
    if (isStricter) setAsked("save");
    else void editing.save();
  };
  const save = (): void => (changes.length > 0 ? setGone(changes) : saveRest());
  const fault = schemaFaultOf(error) ?? (storedFault && storedFaultOf(storedFault));
  return (
    <Page
      isWide
      title={draft.title || id}
      description={<span className="mono">{id}</span>}
      actions={
        <Actions
          editing={editing}
          mayChange={mayChange}
          isFaulty={jsonFault !== undefined}
          onCheck={() => setAsked("check")}
          onSave={save}
        />
      }
    >
      <ReadOnlyContext value={!mayChange}>
        <RenameContext value={editing.rename}>
          <SchemaFaultContext value={fault}>
            <Stack gap="md">
              <Faults editing={editing} />
              <fieldset className="bare" disabled={!mayChange} aria-label={say("The type")}>
                <TypeFacts editing={editing} />
              </fieldset>
              <Views editing={editing} mayChange={mayChange} jsonFault={jsonFault} onJsonFault={setJsonFault} />
            </Stack>
          </SchemaFaultContext>
        </RenameContext>
      </ReadOnlyContext>
      {gone.length > 0 && <FieldChangeDialog editing={editing} changes={gone} onGoOn={saveRest} onClose={close} />}
      {asked && <CheckDialog editing={editing} isSave={asked === "save"} onClose={close} />}
      {isConflict && <TypeConflict editing={editing} />}
      <LeaveQuestion isDirty={isDirty} />
    </Page>
  );
}

type ActionsProps = {
  editing: TypeEditing;
  mayChange: boolean;
  /** Its JSON cannot be read. */
  isFaulty: boolean;
  onCheck(): void;
  onSave(): void;
};

function Actions({ editing, mayChange, isFaulty, onCheck, onSave }: ActionsProps) {
  const { id, draft, isDirty, isSaving, isSaved } = editing;
  return (
    <>
      <Text size="sm" c="dimmed" role="status" className="type-status">
        {!mayChange ? say("Only to read") : isDirty ? say("Unsaved changes") : isSaved ? say("Saved") : ""}
      </Text>
      <Button variant="default" leftSection={<ListChecks size={15} />} disabled={isFaulty} onClick={onCheck}>
        {say("Check entries")}
      </Button>
      {mayChange && (
        <Button onClick={onSave} loading={isSaving} disabled={!isDirty || isFaulty}>
          {say("Save")}
        </Button>
      )}
      <TypeMenu
        type={{ ...draft, id, schema: draft.schema }}
        isDirty={isDirty}
        onRenamed={(newId) => go(addressOf("types", newId), "replace")}
        onDeleted={() => go(addressOf("types"))}
      />
    </>
  );
}

/** Why it was not saved, or what is wrong with it as it is stored. */
function Faults({ editing: { storedFault, error, isConflict } }: { editing: TypeEditing }) {
  const refused = schemaFaultOf(error);
  const stored = storedFault && storedFaultOf(storedFault);
  return (
    <>
      {error !== undefined && !isConflict && (
        <Failure error={error} title={refused ? wrongAt(refused) : say("Not saved")} />
      )}
      {stored && error === undefined && (
        <Failure
          error={say(
            "{rule}. An earlier version took it; now it would be refused, and entries of the type may be impossible to publish",
            { rule: stored.rule },
          )}
          title={wrongAt(stored)}
        />
      )}
    </>
  );
}

const wrongAt = ({ pointer }: SchemaFault): string =>
  say("The schema is wrong at {pointer}", { pointer: pointer || say("its top") });

type ViewsProps = {
  editing: TypeEditing;
  mayChange: boolean;
  jsonFault: string | undefined;
  onJsonFault(fault: string | undefined): void;
};

const ownFields = say(
  "Every entry also has an id, whose last part is made from its title and can be changed, a state, and the dates of its publication and changes.",
);

/** The fields and the JSON: side by side, or one of them where the page is narrow. */
function Views({ editing: { base, draft, edit }, mayChange, jsonFault, onJsonFault }: ViewsProps) {
  const isWide = useMediaQuery("(min-width: 75em)", undefined, { getInitialValueInEffect: false });
  const [view, setView] = useState<"fields" | "json">("fields");
  const readable = isReadable(draft.schema) ? draft.schema : undefined;
  return (
    <>
      {!isWide && (
        <Segments
          label={say("View")}
          options={{ fields: say("Fields"), json: "JSON" }}
          value={view}
          onChange={setView}
          w="fit-content"
          size="sm"
        />
      )}
      <div className="type-views">
        <section aria-label={say("Fields")} hidden={!isWide && view === "json"}>
          {jsonFault !== undefined && (
            <Text size="sm" c="red" mb="xs">
              {say(
                "The JSON cannot be read. The fields are shown as they were before, and can be changed when it is mended.",
              )}
            </Text>
          )}
          {readable ? (
            <fieldset
              className="bare"
              disabled={!mayChange || jsonFault !== undefined}
              aria-label={say("Fields of the type")}
            >
              <FieldList
                schema={readable}
                stored={isReadable(base.schema) ? base.schema : undefined}
                pointer=""
                onChange={(schema) => edit({ schema })}
              />
              <Text size="xs" c="dimmed" mt="sm">
                {ownFields}
              </Text>
            </fieldset>
          ) : (
            <Text size="sm" c="dimmed">
              {say("This schema does not describe an object with properties. It is edited as JSON.")}
            </Text>
          )}
        </section>
        <section aria-label="JSON" hidden={!isWide && view === "fields"}>
          <SchemaJson schema={draft.schema} onChange={(schema) => edit({ schema })} onFault={onJsonFault} />
          <Group gap="xs" mt={4}>
            <Text size="xs" c="dimmed">
              {say("A JSON Schema 2020-12. Keywords that the fields do not show are kept.")}
            </Text>
          </Group>
        </section>
      </div>
    </>
  );
}
