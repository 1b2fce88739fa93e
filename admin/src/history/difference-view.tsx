import "./history.css";
import { Button, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatJson, type Json } from "../api/json.ts";
import type { Difference, Elements, FieldDifference, FieldWords, Piece } from "../model/difference.ts";
import { formatCount, plural } from "../model/format.ts";

type FieldsProps = { fields: readonly FieldDifference[]; words?: FieldWords };

/** The changed fields of an object. */
export function FieldDifferences({ fields, words = {} }: FieldsProps) {
  return (
    <dl className="differences">
      {fields.map(({ key, difference }) => (
        <div key={key}>
          <dt className={Object.hasOwn(words, key) ? undefined : "mono"}>{words[key]?.label ?? key}</dt>
          <dd>
            <DifferenceView difference={difference} show={words[key]?.show} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

type ViewProps = { difference: Difference; show?: ((value: Json) => string) | undefined };

/** What changed in a value; `show` is for values that the form words in its own way. */
export function DifferenceView({ difference, show }: ViewProps): ReactNode {
  if (show && difference.type === "text") return <Values {...wholeOf(difference.pieces)} show={show} />;
  switch (difference.type) {
    case "text":
      return <Texts pieces={difference.pieces} />;
    case "list":
      return <List elements={difference.elements} />;
    case "fields":
      return <FieldDifferences fields={difference.fields} />;
    case "value":
      return <Values {...difference} show={show ?? showValue} />;
  }
}

/** The two texts. */
const wholeOf = (pieces: readonly Piece[]) => ({ before: join(pieces, "new"), after: join(pieces, "old") });
const join = (pieces: readonly Piece[], without: Piece["kind"]): string =>
  pieces.map(({ kind, text }) => (kind === without ? "" : text)).join("");

const showValue = (value: Json): string => (typeof value === "string" ? value : formatJson(value, 1));

type ValuesProps = { before: Json | undefined; after: Json | undefined; show(value: Json): string };

function Values({ before, after, show }: ValuesProps) {
  const [old, fresh] = [before, after].map((value) => value !== undefined && show(value));
  return (
    <div className="difference-text">
      {old !== false && <del>{old || "empty"}</del>}
      {old !== false && fresh !== false && " → "}
      {fresh !== false && <ins>{fresh || "empty"}</ins>}
      {before === undefined && <Note>added</Note>}
      {after === undefined && <Note>removed</Note>}
    </div>
  );
}

const Note = ({ children }: { children: ReactNode }) => (
  <Text component="span" size="xs" c="dimmed" ml={8}>
    {children}
  </Text>
);

// ---------------------------------------------------------------------------------------------- texts

const tags = { same: "span", old: "del", new: "ins" } as const;

function Texts({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <div className="difference-text" dir="auto">
      {pieces.map(({ kind, text }, i) => {
        const Tag = tags[kind];
        // biome-ignore-start lint/suspicious/noArrayIndexKey: the pieces of a difference never move.
        return kind === "same" ? (
          <Unchanged key={i} text={text} isFirst={i === 0} isLast={i === pieces.length - 1} />
        ) : (
          <Tag key={i}>{text}</Tag>
        );
        // biome-ignore-end lint/suspicious/noArrayIndexKey: the pieces of a difference never move.
      })}
    </div>
  );
}

const longest = 320;
const shown = 100;

/** A part that both texts have. The middle of a long one is folded. */
function Unchanged({ text, isFirst, isLast }: { text: string; isFirst: boolean; isLast: boolean }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen || text.length <= longest) return <span>{text}</span>;
  const head = isFirst ? "" : text.slice(0, shown).replace(/\S*$/, "");
  const tail = isLast ? "" : text.slice(-shown).replace(/^\S*/, "");
  const folded = text.length - head.length - tail.length;
  return (
    <span>
      {head}
      <Fold label={`${formatCount(folded)} characters unchanged`} onOpen={() => setOpen(true)} />
      {tail}
    </span>
  );
}

const Fold = ({ label, onOpen }: { label: string; onOpen(): void }) => (
  <Button variant="default" size="compact-xs" className="difference-fold" onClick={onOpen}>
    {label}
  </Button>
);

// ---------------------------------------------------------------------------------------------- lists

const mostUnchanged = 3;

function List({ elements }: { elements: readonly Elements[] }) {
  return (
    <ul className="difference-list">
      {elements.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a difference never move.
        <Part key={i} part={part} />
      ))}
    </ul>
  );
}

function Part({ part }: { part: Elements }) {
  const [isOpen, setOpen] = useState(false);
  if (part.kind === "changed")
    return (
      <li>
        <DifferenceView difference={part.difference} />
      </li>
    );
  const { kind, values } = part;
  if (kind === "same" && values.length > mostUnchanged && !isOpen)
    return (
      <li>
        <Fold label={`${plural(values.length, "element")} unchanged`} onOpen={() => setOpen(true)} />
      </li>
    );
  const Tag = tags[kind];
  return values.map((value, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the elements of a difference never move.
    <li key={i} className="difference-text">
      <Tag>{showValue(value)}</Tag>
    </li>
  ));
}
