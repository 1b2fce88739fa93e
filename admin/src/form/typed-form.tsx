import "./form.css";
import { Stack, Text } from "@mantine/core";
import { useCallback, useMemo, useRef, useState } from "react";
import type { ContentType } from "../../../client/src/client.ts";
import { isObject } from "../api/json.ts";
import { OtherFields, TitleField } from "../field/form.tsx";
import { say } from "../language/say.ts";
import { type Draft, listedFields } from "../model/draft/draft.ts";
import type { DraftEdit, SaveState } from "../model/draft/editing.ts";
import { byPointer, faultsOf, lastingFaults } from "../model/form/faults.ts";
import { ownOf } from "../model/form/pointer.ts";
import { formOf, shapeOf } from "../model/form/root.ts";
import { isSettled } from "../model/form/value.ts";
import { Fold } from "../ui/fold.tsx";
import { type Edit, FormContext, type FormState } from "./context.ts";
import { FieldControl } from "./group.tsx";
import { focusAt, Summary } from "./summary.tsx";

type TypedFormProps = { editing: DraftEdit & SaveState; type: ContentType; all: readonly ContentType[] };

/** The form of an entry with a content type: the fields of the type, then all other fields of the entry. */
export function TypedForm({ editing, type, all }: TypedFormProps) {
  const { base, draft, edit, error, isDirty } = editing;
  const shape = useMemo(() => shapeOf(type.id, all), [type, all]);
  // The variant of the data as they were read: typing does not switch it.
  const form = useMemo(() => formOf(shape, base), [shape, base]);
  const host = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState<FormState["target"]>();
  const { refused, faults, byPlace } = useFaults(error, draft);
  const state = useMemo<FormState>(() => ({ slug: base.slug, faults: byPlace, target }), [base.slug, byPlace, target]);
  const change = useCallback<Edit>(
    (own) =>
      edit((before) => {
        const after = own(before);
        return isObject(after) ? after : before;
      }),
    [edit],
  );
  const go = (pointer: string): void => {
    setTarget({ pointer });
    if (host.current) focusAt(host.current, pointer);
  };
  const shown = new Set([
    ...form.fields.map(({ name }) => name),
    ...["title", "content"].filter((name) => !form.shows(name, draft)),
  ]);
  const name = type.title || type.id;
  return (
    <FormContext value={state}>
      <Stack gap="lg" className="form" ref={host}>
        {faults.length > 0 && (
          <Summary
            key={refused.count}
            faults={faults}
            shape={form.shape}
            data={draft}
            title={isDirty ? say("Not saved") : say("Nothing was changed")}
            onGo={go}
          />
        )}
        {!shown.has("title") && <TitleField editing={editing} />}
        {form.fields.length > 0 && (
          <section aria-label={say("Fields of {name}", { name })} className="typed-fields">
            {form.fields
              .filter((field) => !isSettled(field, ownOf(draft, field.name)))
              .map((field) => (
                <FieldControl
                  key={field.name}
                  field={field}
                  pointer=""
                  value={ownOf(draft, field.name)}
                  edit={change}
                />
              ))}
          </section>
        )}
        <Others editing={editing} type={name} shown={shown} />
      </Stack>
    </FormContext>
  );
}

type OthersProps = { editing: DraftEdit; type: string; shown: ReadonlySet<string> };

/** What the entry has beside the fields of its type; open where there was something at first. */
function Others({ editing, type, shown }: OthersProps) {
  const [hasOthers] = useState(
    () =>
      !shown.has("content") || listedFields(editing.draft).some(([name]) => !shown.has(name) && name !== "fieldset"),
  );
  return (
    <section aria-label={say("Other fields")} className="typed-others">
      <Fold title={say("Other fields")} isOpen={hasOthers}>
        <Text size="xs" c="dimmed" mb="sm">
          {say("Not part of the type {type}.", { type })}
        </Text>
        <Stack gap="lg">
          <OtherFields editing={editing} shown={shown} />
        </Stack>
      </Fold>
    </section>
  );
}

/** What was refused last, and its faults that last. */
function useFaults(error: unknown, draft: Draft) {
  const refused = useRefused(error, draft);
  const faults = lastingFaults(faultsOf(error), refused.draft, draft);
  const key = faults.map(({ pointer, rule }) => `${pointer} ${rule}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same faults are the same map, so that fields do not render.
  const byPlace = useMemo(() => byPointer(faults), [key, refused]);
  return { refused, faults, byPlace };
}

type Refused = { error: unknown; draft: Draft; count: number };

/** The draft as it was when it was refused last, and how many refusals there were. */
function useRefused(error: unknown, draft: Draft): Refused {
  const [refused, setRefused] = useState<Refused>({ error, draft, count: 0 });
  if (refused.error === error) return refused;
  const next = { error, draft, count: refused.count + 1 };
  setRefused(next);
  return next;
}
