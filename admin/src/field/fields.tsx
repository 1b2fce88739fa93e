import { startTransition, useCallback, useEffect, useRef, useState } from "react";
import type { Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { type Draft, listedFields, withField, withoutField } from "../model/draft/draft.ts";
import { useUndoOffers } from "../ui/undo.tsx";
import { Field } from "./field.tsx";

type FieldsProps = {
  draft: Draft;
  /** The names of fields that are shown elsewhere. */
  shown: ReadonlySet<string>;
  edit(change: (draft: Draft) => Draft): void;
  onChange(name: string, value: Json): void;
};

/** The fields of an entry other than title and text. A removal can be undone. */
export function Fields({ draft, shown: elsewhere, edit, onChange }: FieldsProps) {
  const fields = listedFields(draft).filter(([name]) => !elsewhere.has(name));
  const shown = useShown(fields.length);
  const latest = useRef(draft);
  latest.current = draft;
  const offer = useUndoOffers();
  const remove = useCallback(
    (name: string) => {
      const before = latest.current;
      edit((now) => withoutField(now, name));
      offer(say("Removed"), name, () => edit((now) => withField(now, name, before)));
    },
    [edit, offer],
  );
  return (
    <div className="fields" aria-busy={shown < fields.length || undefined}>
      {fields.slice(0, shown).map(([name, value]) => (
        <Field key={name} name={name} value={value} onChange={onChange} onRemove={remove} />
      ))}
    </div>
  );
}

const atOnce = 24;

/** The number of rendered fields: the rest follows in batches, so that many fields do not block the page. */
function useShown(count: number): number {
  const [shown, setShown] = useState(atOnce);
  useEffect(() => {
    if (shown < count) startTransition(() => setShown(shown + atOnce));
  }, [shown, count]);
  return shown;
}
