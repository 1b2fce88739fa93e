import { ActionIcon, Collapse, Group, Stack, UnstyledButton } from "@mantine/core";
import { ChevronRight, GripVertical, ListPlus, Trash2 } from "lucide-react";
import { type ReactNode, useId, useRef } from "react";
import { say } from "../language/say.ts";
import { MoveButtons } from "../ui/move-buttons.tsx";
import { useSorting } from "../ui/sort.ts";

type CardProps = {
  /** The list that it is in, its place there, and how many there are. */
  list: string;
  index: number;
  count: number;
  noun: "field" | "shape";
  /** What its buttons call it. */
  name: string;
  head: ReactNode;
  isFaulty: boolean;
  isOpen: boolean;
  onToggle(): void;
  onMove(from: number, to: number): void;
  /** Adds one below it. */
  onInsert(): void;
  /** Absent for one that must stay. */
  onRemove?: (() => void) | undefined;
  children: ReactNode;
};

/** A field or a shape in the editor of a type: it opens, and is moved by its grip or by buttons. */
export function Card(props: CardProps) {
  const { list, index, head, isFaulty, isOpen, onToggle, onMove, children } = props;
  const row = useRef<HTMLLIElement>(null);
  const grip = useRef<HTMLSpanElement>(null);
  const edge = useSorting({ list, index, row, handle: grip, onMove });
  const panel = useId();
  return (
    <li ref={row} className="sortable" data-edge={edge}>
      <div className="panel field-card" data-faulty={isFaulty || undefined}>
        <div className="field-head">
          <span ref={grip} className="field-grip" title={say("Drag to sort")} aria-hidden>
            <GripVertical size={15} />
          </span>
          <UnstyledButton className="field-open" aria-expanded={isOpen} aria-controls={panel} onClick={onToggle}>
            <ChevronRight size={14} className="field-arrow" aria-hidden />
            {head}
          </UnstyledButton>
          <Tools {...props} />
        </div>
        <Collapse expanded={isOpen} id={panel}>
          {isOpen && (
            <Stack gap="sm" className="field-body">
              {children}
            </Stack>
          )}
        </Collapse>
      </div>
    </li>
  );
}

function Tools({ index, count, noun, name, onMove, onInsert, onRemove }: CardProps) {
  return (
    <Group gap={0} wrap="nowrap">
      <MoveButtons {...{ index, count, name, onMove }} />
      <ActionIcon
        onClick={onInsert}
        aria-label={
          noun === "field" ? say("Insert a field below {name}", { name }) : say("Insert a shape below {name}", { name })
        }
        title={noun === "field" ? say("Insert a field below") : say("Insert a shape below")}
      >
        <ListPlus size={15} />
      </ActionIcon>
      <ActionIcon
        onClick={onRemove}
        disabled={!onRemove}
        aria-label={
          noun === "field" ? say("Remove the field {name}", { name }) : say("Remove the shape {name}", { name })
        }
      >
        <Trash2 size={15} />
      </ActionIcon>
    </Group>
  );
}
