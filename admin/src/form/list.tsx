import { Button, Input } from "@mantine/core";
import { type RefObject, useCallback, useEffect, useId, useRef, useState } from "react";
import type { Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { nameOf } from "../model/form/item-name.ts";
import { segmentOf, segmentsOf } from "../model/form/pointer.ts";
import type { Shape, ShapeOf } from "../model/form/schema.ts";
import { initialOf, moved } from "../model/form/value.ts";
import { useUndoOffers } from "../ui/undo.tsx";
import { type ControlProps, useFaultsAt, useReveal } from "./context.ts";
import { ListAdd } from "./list-add.tsx";
import { type ListActions, ListRow } from "./list-row.tsx";

type ListProps = ControlProps<ShapeOf<"list">>;

/** Items are rendered in parts of so many. */
const part = 50;
const flat = new Set(["text", "number", "switch", "choice"]);

const partWords = (from: number, to: number, count: number): string =>
  say("Show items {from} to {to} of {count}", { from, to, count });

/** A list whose items are edited, sorted by drag and by buttons, added, copied, and removed with an undo. */
export function List(props: ListProps) {
  const { shape, label, pointer, value, isRequired, edit } = props;
  const list = Array.isArray(value) ? value : [];
  const item = shape.item();
  const id = useId();
  const error = useFaultsAt(pointer);
  const { parts, show } = useParts(pointer);
  const { keys, said, host, actions } = useActions(props, item, list, show);
  const isFull = shape.maxItems !== undefined && list.length >= shape.maxItems;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have this layout.
    <div role="group" aria-labelledby={id} ref={host}>
      <Input.Wrapper
        label={<span id={id}>{label}</span>}
        labelElement="div"
        withAsterisk={isRequired}
        description={shape.help}
        error={error}
        inputWrapperOrder={["label", "description", "error", "input"]}
      >
        <ol className="typed-list" data-flat={flat.has(item.kind) || undefined}>
          {partsOf(list.length, parts).map(({ from, to, isShown }) =>
            isShown ? (
              <Rows
                key={`part ${from}`}
                id={id}
                item={item}
                list={list}
                pointer={pointer}
                keys={keys}
                actions={actions}
                edit={edit}
                from={from}
                to={to}
              />
            ) : (
              <li key={`part ${from}`}>
                <Button size="compact-sm" variant="default" disabled={false} onClick={() => show(from)}>
                  {partWords(from + 1, Math.min(from + part, to), list.length)}
                </Button>
              </li>
            ),
          )}
        </ol>
        <ListAdd
          label={label}
          item={item}
          count={list.length}
          isFull={isFull}
          onAdd={(added) => actions.insert(list.length, added)}
        />
        <span role="status" className="spoken">
          {said}
        </span>
      </Input.Wrapper>
    </div>
  );
}

/** The parts that are shown. What was shown stays: an unfinished input would be lost. */
function useParts(pointer: string): { parts: ReadonlySet<number>; show(index: number): void } {
  const [parts, setParts] = useState<ReadonlySet<number>>(new Set([0]));
  const show = useCallback((index: number) => {
    const at = Math.floor(index / part);
    setParts((before) => (before.has(at) ? before : new Set([...before, at])));
  }, []);
  useReveal(pointer, (inside) => show(Number(segmentsOf(inside.slice(pointer.length))[0])));
  return { parts, show };
}

type RowsProps = Pick<ListProps, "pointer" | "edit"> & {
  /** Of the list. */
  id: string;
  item: Shape;
  list: readonly Json[];
  keys: readonly number[];
  actions: ListActions;
  from: number;
  to: number;
};

const Rows = ({ id, item, list, pointer, keys, actions, edit, from, to }: RowsProps) =>
  list
    .slice(from, to)
    .map((each, i) => (
      <ListRow
        key={keys[from + i]}
        list={id}
        index={from + i}
        count={list.length}
        shape={item}
        name={nameOf(each, item, from + i)}
        isFlat={flat.has(item.kind)}
        isOpenAtFirst={list.length <= 3 || actions.isNew(keys[from + i] as number)}
        pointer={pointer + segmentOf(from + i)}
        value={each}
        actions={actions}
        edit={edit}
      />
    ));

type Part = { from: number; to: number; isShown: boolean };

/** The parts of a list; those between two that are shown are one. */
function partsOf(length: number, shown: ReadonlySet<number>): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < length; from += part) {
    const next = { from, to: Math.min(from + part, length), isShown: shown.has(from / part) };
    const last = parts.at(-1);
    if (last && !last.isShown && !next.isShown) last.to = next.to;
    else parts.push(next);
  }
  return parts;
}

/** The focus after a change: a control of the row at the index, or the button to add. */
type Focus = { index: number; controls: readonly string[] } | undefined;

/** The changes of a list. Rows keep their keys, so that what is open or half typed moves with its item. */
function useActions(
  { label, edit, shape: { maxItems } }: ListProps,
  item: Shape,
  list: readonly Json[],
  show: (index: number) => void,
) {
  const keys = useKeys(list.length);
  const [said, announce] = useState("");
  const host = useRef<HTMLDivElement>(null);
  const focus = useFocus(host);
  const offer = useUndoOffers();
  const latest = useRef<Latest>({ edit, list, item, maxItems });
  latest.current = { edit, list, item, maxItems };
  const [actions] = useState(() => actionsOn({ label, keys, latest, focus, show, announce, offer }));
  return { keys: keys.current, said, host, actions };
}

/** Moves the focus after a render that follows a change. */
function useFocus(host: RefObject<HTMLElement | null>): RefObject<Focus> {
  const focus = useRef<Focus>(undefined);
  useEffect(() => {
    if (!focus.current) return;
    const { index, controls } = focus.current;
    focus.current = undefined;
    const row = host.current?.querySelector(`:scope > * > .typed-list > [data-index="${index}"]`);
    const found = controls.map((control) => row?.querySelector<HTMLElement>(control)).find((each) => each);
    (found ?? host.current?.querySelector<HTMLElement>("[data-add]"))?.focus();
    // What is typed replaces the value that a new item begins with.
    if (found instanceof HTMLInputElement) found.select();
  });
  return focus;
}

/** The list in the newest render. */
type Latest = { edit: ListProps["edit"]; list: readonly Json[]; item: Shape; maxItems: number | undefined };

type Acting = {
  label: string;
  keys: Keys;
  latest: RefObject<Latest>;
  focus: RefObject<Focus>;
  show(index: number): void;
  /** Says it to who does not see the list. */
  announce(words: string): void;
  offer: ReturnType<typeof useUndoOffers>;
};

/** The actions stay the same, so that a row is not rendered with each change of another. */
function actionsOn({ label, keys, latest, focus, show, announce, offer }: Acting): ListActions {
  const added = new Set<number>();
  const change = (edited: (list: Json[]) => Json[]): void =>
    latest.current.edit((before) => edited(Array.isArray(before) ? before : []));
  const insert = (index: number, value: Json): void => {
    const key = keys.next();
    added.add(key);
    keys.current = keys.current.toSpliced(index, 0, key);
    focus.current = { index, controls: firstControl };
    show(index);
    change((all) => all.toSpliced(index, 0, value));
    announce(say("Added at position {index}", { index: index + 1 }));
  };
  return {
    isNew: (key) => added.has(key),
    insert,
    move(from, to) {
      const { length } = latest.current.list;
      if (to < 0 || to >= length) return;
      keys.current = moved(keys.current, from, to);
      show(to);
      change((all) => moved(all, from, to));
      announce(say("Moved to position {to} of {length}", { to: to + 1, length }));
    },
    addAfter(index) {
      const { list, item, maxItems } = latest.current;
      if (maxItems === undefined || list.length < maxItems) insert(index + 1, initialOf(item));
    },
    remove(index) {
      const { list, item } = latest.current;
      const [value, key] = [list[index], keys.current[index]];
      if (value === undefined || key === undefined) return;
      keys.current = keys.current.toSpliced(index, 1);
      focus.current = { index: Math.min(index, list.length - 2), controls: ["[data-remove]"] };
      change((all) => all.toSpliced(index, 1));
      const restore = (): void => {
        keys.current = keys.current.toSpliced(index, 0, key);
        change((all) => all.toSpliced(index, 0, value));
      };
      offer(say("Removed"), `${nameOf(value, item, index)} (${label})`, restore);
    },
  };
}

/** The first of these that there is. */
const firstControl = [".typed-inside :is(input, textarea, select)", "input, textarea, select", "button"];

type Keys = { current: number[]; next(): number };

/** As many keys as items: those of an item that was added or removed elsewhere are added or dropped at the end. */
function useKeys(length: number): Keys {
  const [keys] = useState<Keys>(() => {
    let last = 0;
    const next = (): number => ++last;
    return { current: Array.from({ length }, next), next };
  });
  if (keys.current.length > length) keys.current = keys.current.slice(0, length);
  while (keys.current.length < length) keys.current.push(keys.next());
  return keys;
}
