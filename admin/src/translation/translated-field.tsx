import { Badge, Button, Group } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { memo, useMemo } from "react";
import { formatJson, isObject, isSame, type Json } from "../api/json.ts";
import type { OpenedTranslation } from "../api/staged.ts";
import type { Edit } from "../form/context.ts";
import { Control } from "../form/control.tsx";
import { DifferenceView } from "../history/difference-view.tsx";
import { say } from "../language/say.ts";
import { compare } from "../model/difference.ts";
import { labelOfField } from "../model/form/item-name.ts";
import { ownOf, segmentOf } from "../model/form/pointer.ts";
import type { Field } from "../model/form/schema.ts";
import { type FieldState, isEmpty, stateWords } from "../model/form/translation.ts";
import { withKey } from "../model/form/value.ts";
import { languageName } from "../model/locale.ts";
import { useSession } from "../session-context.ts";
import { WritingContext, writingOf } from "../ui/writing.ts";

type FieldProps = {
  field: Field;
  base: OpenedTranslation;
  /** What the source said when it was translated, where that is known and another. */
  before: Json | undefined;
  value: Json | undefined;
  state: FieldState;
  isFrozen: boolean;
  edit: Edit;
  onCheck(name: string): void;
};

/** A field of the source, and beside it what it says in the language; both read in their own direction. */
export const TranslatedField = memo(function TranslatedField(props: FieldProps) {
  const { field, base, before, value, state, edit } = props;
  const { name } = field;
  const { locale, source } = base.translation;
  const shape = useMemo(() => field.shape(), [field]);
  const label = labelOfField(name, shape);
  const writing = useMemo(() => writingOf(locale), [locale]);
  const change: Edit = (own) =>
    edit((now) => {
      const object = isObject(now) ? now : {};
      return withKey(object, name, own(ownOf(object, name)));
    });
  return (
    <section className="translated-field" aria-label={label} data-state={state}>
      <Head {...props} label={label} isRequired={shape.localized === "required"} change={change} />
      <Source label={label} value={source[name]} before={state === "outdated" ? before : undefined} />
      <div className="translated-own">
        <WritingContext value={writing}>
          <Control
            shape={shape}
            label={say("{label} in {language}", { label, language: languageName(locale) })}
            pointer={segmentOf(name)}
            value={value}
            isRequired={shape.localized === "required"}
            isBare
            edit={change}
          />
        </WritingContext>
      </div>
    </section>
  );
});

type HeadProps = FieldProps & { label: string; isRequired: boolean; change: Edit };

/** How far it is, and what is done with one click. */
function Head({ field: { name }, base, value, state, isFrozen, onCheck, label, isRequired, change }: HeadProps) {
  const source = base.translation.source[name];
  const isCopied = source !== undefined && isSame(source, value);
  const small = { size: "compact-xs", variant: "default" } as const;
  return (
    <div className="translated-head">
      <h2>
        {label}
        {isRequired && <span aria-hidden> *</span>}
      </h2>
      {state !== "empty" && <Badge color={stateWords[state].color}>{stateWords[state].label}</Badge>}
      {!isFrozen && (
        <Group gap="xs" ms="auto">
          {state === "outdated" && (
            <Button
              {...small}
              leftSection={<Check size={13} />}
              aria-label={say("Still right: {label}", { label })}
              onClick={() => onCheck(name)}
            >
              {say("Still right")}
            </Button>
          )}
          {!isEmpty(source) && !isCopied && (
            <Button
              {...small}
              leftSection={<Copy size={13} />}
              aria-label={say("Copy from the source: {label}", { label })}
              onClick={() => change(() => source)}
            >
              {say("Copy from the source")}
            </Button>
          )}
        </Group>
      )}
    </div>
  );
}

type SourceProps = { label: string; value: Json | undefined; before: Json | undefined };

function Source({ label, value, before }: SourceProps) {
  const [source = ""] = useSession().locales ?? [];
  const language = languageName(source);
  return (
    <div className="translated-source">
      {/* biome-ignore-start lint/a11y: what scrolls is reached by the keyboard, and a fieldset cannot scroll. */}
      <div
        className="translated-text"
        lang={source}
        dir="auto"
        tabIndex={0}
        role="group"
        aria-label={say("{label} in {language}", { label, language })}
      >
        {before === undefined ? textOf(value) : <DifferenceView difference={compare(before, value)} />}
      </div>
      {/* biome-ignore-end lint/a11y: as above. */}
      {before !== undefined && (
        <span className="translated-told">{say("What has changed since it was translated")}</span>
      )}
    </div>
  );
}

/** Texts as they are, lists of them line by line. */
function textOf(value: Json | undefined): string {
  if (value === undefined) return "";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join("\n");
  return typeof value === "string" ? value : formatJson(value, 2);
}
