import "./history.css";
import { Button, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Json } from "../api/json.ts";
import { say, sayMany } from "../language/say.ts";
import type { Difference, Elements, FieldDifference, FieldWords, Piece } from "../model/difference.ts";
import { itemIn, nameIn, shapeIn } from "../model/form/named.ts";
import type { Shape } from "../model/form/schema.ts";
import { formatCount } from "../model/format.ts";
import { isMeant, ValueView } from "./value-view.tsx";

type FieldsProps = {
  fields: readonly FieldDifference[];
  words?: FieldWords;
  /** Of the object in its form. */
  shape?: Shape | undefined;
};

/** The changed fields of an object. */
export function FieldDifferences({ fields, words = {}, shape }: FieldsProps) {
  return (
    <dl className="differences">
      {fields.map(({ key, difference }) => (
        <div key={key}>
          <FieldName name={key} label={nameIn(shape, key) ?? words[key]?.label} />
          <dd>
            <DifferenceView difference={difference} show={words[key]?.show} shape={shapeIn(shape, key)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const FieldName = ({ name, label }: { name: string; label: string | undefined }) => (
  <dt className={label === undefined ? "mono" : undefined} dir="auto">
    {label ?? name}
  </dt>
);

type ViewProps = {
  difference: Difference;
  show?: ((value: Json) => ReactNode) | undefined;
  shape?: Shape | undefined;
};

/** What changed in a value; `show` is for values that the form words in its own way. */
export function DifferenceView({ difference, shape, ...props }: ViewProps): ReactNode {
  const show = props.show ?? (isMeant(shape) ? (value: Json) => <ValueView value={value} shape={shape} /> : undefined);
  if (show && difference.type === "text") return <Values {...wholeOf(difference.pieces)} show={show} />;
  switch (difference.type) {
    case "text":
      return <Texts pieces={difference.pieces} />;
    case "list":
      return <List elements={difference.elements} item={itemIn(shape)} />;
    case "fields":
      return <FieldDifferences fields={difference.fields} shape={shape} />;
    case "value":
      return <Values {...difference} show={show ?? ((value) => <ValueView value={value} shape={shape} />)} />;
  }
}

/** The two texts. */
const wholeOf = (pieces: readonly Piece[]) => ({ before: join(pieces, "new"), after: join(pieces, "old") });
const join = (pieces: readonly Piece[], without: Piece["kind"]): string =>
  pieces.map(({ kind, text }) => (kind === without ? "" : text)).join("");

type ValuesProps = { before: Json | undefined; after: Json | undefined; show(value: Json): ReactNode };

function Values({ before, after, show }: ValuesProps) {
  const [old, fresh] = [before, after].map((value) => value !== undefined && show(value));
  return (
    <div className="difference-text">
      {old !== false && <del>{old || "empty"}</del>}
      {old !== false && fresh !== false && " → "}
      {fresh !== false && <ins>{fresh || "empty"}</ins>}
      {before === undefined && <Note>{say("added")}</Note>}
      {after === undefined && <Note>{say("removed")}</Note>}
    </div>
  );
}

const Note = ({ children }: { children: ReactNode }) => (
  <Text component="span" size="xs" c="dimmed" ms={8}>
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
      <Fold
        label={say("{folded} characters unchanged", { folded: formatCount(folded) })}
        onOpen={() => setOpen(true)}
      />
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

/** `item` is the form of its elements. */
type ListProps = { elements: readonly Elements[]; item: Shape | undefined };

function List({ elements, item }: ListProps) {
  return (
    <ul className="difference-list">
      {elements.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a difference never move.
        <Part key={i} part={part} item={item} />
      ))}
    </ul>
  );
}

function Part({ part, item }: { part: Elements; item: Shape | undefined }) {
  const [isOpen, setOpen] = useState(false);
  if (part.kind === "changed")
    return (
      <li>
        <DifferenceView difference={part.difference} shape={item} />
      </li>
    );
  const { kind, values } = part;
  if (kind === "same" && values.length > mostUnchanged && !isOpen)
    return (
      <li>
        <Fold
          label={sayMany(values.length, "{count} element unchanged", "{count} elements unchanged")}
          onOpen={() => setOpen(true)}
        />
      </li>
    );
  const Tag = tags[kind];
  return values.map((value, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the elements of a difference never move.
    <li key={i} className="difference-text">
      <Tag>
        <ValueView value={value} shape={item} />
      </Tag>
    </li>
  ));
}
