import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { ChevronDown, ChevronUp, Copy, GripVertical, Plus, Trash2 } from "lucide-react";
import { type KeyboardEvent, memo, useCallback, useRef, useState } from "react";
import type { Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { itemNameOf } from "../model/form/item-name.ts";
import type { Shape } from "../model/form/schema.ts";
import { initialOf, initialOfVariant } from "../model/form/value.ts";
import { useSorting } from "../ui/sort.ts";
import { type Edit, useReveal } from "./context.ts";
import { Control } from "./control.tsx";
import { Section } from "./group.tsx";

export type ListActions = {
  move(from: number, to: number): void;
  insert(index: number, value: Json): void;
  /** Adds an item after this one, unless the list is full. */
  addAfter(index: number): void;
  remove(index: number): void;
  isNew(key: number): boolean;
};

type ListRowProps = {
  list: string;
  index: number;
  count: number;
  shape: Shape;
  name: string;
  isFlat: boolean;
  isOpenAtFirst: boolean;
  pointer: string;
  value: Json;
  actions: ListActions;
  edit: Edit;
};

/** An item of a list: one line, or a card that opens. */
export const ListRow = memo(function ListRow(props: ListRowProps) {
  const { list, index, shape, isFlat, isOpenAtFirst, pointer, value, actions } = props;
  const row = useRef<HTMLLIElement>(null);
  const handle = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  useReveal(pointer, () => setOpen(true));
  const edge = useSorting({ list, index, row, handle, onMove: actions.move });
  const { title, summary } = itemNameOf(value, shape, index);
  return (
    <li ref={row} className="typed-row" data-index={index} data-edge={edge} data-flat={isFlat || undefined}>
      <span ref={handle} className="typed-grip" aria-hidden title={say("Drag to sort")}>
        <GripVertical size={15} />
      </span>
      {isFlat ? (
        <>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the input inside. */}
          <div className="typed-item" onKeyDown={(event) => isNext(event) && actions.addAfter(index)}>
            <ItemControl {...props} />
          </div>
          <Tools {...props} />
        </>
      ) : (
        <div className="typed-item">
          <Section
            label={title}
            summary={summary}
            isOpen={isOpen}
            onToggle={() => setOpen(!isOpen)}
            tools={<Tools {...props} />}
          >
            <ItemControl {...props} />
          </Section>
        </div>
      )}
    </li>
  );
});

/** Enter in the input of an item begins the next one; in an empty one it does nothing. */
function isNext(event: KeyboardEvent): boolean {
  const { target, key } = event;
  if (key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (!(target instanceof HTMLInputElement) || ["radio", "checkbox", "color"].includes(target.type)) return false;
  if (target.readOnly) return false;
  event.preventDefault();
  return target.value !== "";
}

function ItemControl({ index, shape, pointer, value, edit }: ListRowProps) {
  const change = useCallback<Edit>(
    (own) =>
      edit((before) => {
        const all = Array.isArray(before) ? before : [];
        const old = all[index];
        const after = own(old);
        // An item is never absent: an emptied one is an empty text, or stays as it is.
        return after === old ? before : all.with(index, after ?? (typeof old === "string" ? "" : null));
      }),
    [edit, index],
  );
  return (
    <Control
      shape={shape}
      label={say("Item {index}", { index: index + 1 })}
      pointer={pointer}
      value={value}
      isRequired
      isBare
      edit={change}
    />
  );
}

/** Adds an item between this one and the next: of a kind that is chosen, where there are several. */
function InsertBelow({ index, shape, name, actions }: ListRowProps) {
  const insert = (value: Json): void => actions.insert(index + 1, value);
  const button = (
    <ActionIcon
      size={26}
      aria-label={say("Insert below: {name}", { name })}
      title={say("Insert below")}
      onClick={shape.kind === "variants" ? undefined : () => insert(initialOf(shape))}
    >
      <Plus size={15} />
    </ActionIcon>
  );
  if (shape.kind !== "variants") return button;
  return (
    // The focus goes to the new item.
    <Menu position="bottom-end" returnFocus={false}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown mah={340} style={{ overflowY: "auto" }}>
        {shape.variants.map((variant, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two variants may have one title.
          <Menu.Item key={i} onClick={() => insert(initialOfVariant(variant))}>
            {variant.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Tools(props: ListRowProps) {
  const { index, count, name, value, actions } = props;
  const tools = [
    { label: say("Move up"), icon: ChevronUp, run: () => actions.move(index, index - 1), isOff: index === 0 },
    {
      label: say("Move down"),
      icon: ChevronDown,
      run: () => actions.move(index, index + 1),
      isOff: index === count - 1,
    },
    { label: say("Copy"), icon: Copy, run: () => actions.insert(index + 1, value), isOff: false },
    { label: say("Remove"), icon: Trash2, run: () => actions.remove(index), isOff: false },
  ];
  return (
    <span className="typed-tools">
      {!props.isFlat && <InsertBelow {...props} />}
      {tools.map(({ label, icon: Icon, run, isOff }) => (
        <Tooltip key={label} label={label}>
          <ActionIcon
            size={26}
            aria-label={`${label}: ${name}`}
            // Not disabled: it would lose the focus at the end of the list.
            aria-disabled={isOff || undefined}
            data-remove={label === "Remove" || undefined}
            onClick={isOff ? undefined : run}
          >
            <Icon size={15} />
          </ActionIcon>
        </Tooltip>
      ))}
    </span>
  );
}
