import { type DragEvent, useState } from "react";
import { parentOf } from "../api/path.ts";
import { useWritesLive } from "../session-context.ts";
import { dropBelow } from "./move.ts";

/** Entries are moved by dragging them in the tree. With the keyboard they are moved by "Move to…" and "Rename or move". */

type Dragged = { slug: string; name: string };

/** What is dragged now: the browser tells the type of it only, until it is dropped. */
let dragged: Dragged | undefined;

const canTake = (slug: string): boolean =>
  dragged !== undefined && parentOf(dragged.slug) !== slug && !`${slug}/`.startsWith(`${dragged.slug}/`);

function over(event: DragEvent, slug: string): boolean {
  event.stopPropagation();
  const isTaken = canTake(slug);
  if (isTaken) event.preventDefault();
  return isTaken;
}

function drop(event: DragEvent, slug: string): void {
  event.stopPropagation();
  event.preventDefault();
  if (dragged && canTake(slug)) void dropBelow(dragged, slug);
  dragged = undefined;
}

/** The properties of a row of the tree that is dragged, and takes others. */
export function useDragging({ slug, name, mayBeDragged }: Dragged & { mayBeDragged: boolean }) {
  const mayPublish = useWritesLive();
  const [isOver, setOver] = useState(false);
  if (!mayPublish) return {};
  return {
    draggable: mayBeDragged,
    "data-over": isOver || undefined,
    onDragStart: (event: DragEvent) => {
      event.stopPropagation();
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", slug);
      dragged = { slug, name };
    },
    onDragEnd: () => {
      dragged = undefined;
      setOver(false);
    },
    onDragOver: (event: DragEvent) => setOver(over(event, slug)),
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      drop(event, slug);
    },
  };
}

/** The properties of the tree: what is dropped beside its rows goes to the top level. */
export function useDropAtTop() {
  const mayPublish = useWritesLive();
  if (!mayPublish) return {};
  return { onDragOver: (event: DragEvent) => over(event, ""), onDrop: (event: DragEvent) => drop(event, "") };
}
