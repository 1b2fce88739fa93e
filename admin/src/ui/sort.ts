import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { type RefObject, useContext, useEffect, useState } from "react";
import { ReadOnlyContext } from "./read-only.ts";

/** Where a dragged row would go, beside this one. */
export type Edge = "above" | "below";

type Sorting = {
  /** The same for all rows of one list. */
  list: string;
  index: number;
  row: RefObject<HTMLElement | null>;
  handle: RefObject<HTMLElement | null>;
  onMove(from: number, to: number): void;
};

/** Lets the pointer drag a row by its handle to another place of its list. Returns where another row would go. */
export function useSorting({ list, index, row, handle, onMove }: Sorting): Edge | undefined {
  const [edge, setEdge] = useState<Edge>();
  const isReadOnly = useContext(ReadOnlyContext);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row registers again when it has moved.
  useEffect(() => {
    const [element, dragHandle] = [row.current, handle.current];
    if (!element || !dragHandle || isReadOnly) return;
    const edgeAt = (y: number): Edge => {
      const { top, height } = element.getBoundingClientRect();
      return y < top + height / 2 ? "above" : "below";
    };
    return combine(
      draggable({ element, dragHandle, getInitialData: () => ({ list, index }) }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data.list === list && source.data.index !== index,
        onDrag: ({ location }) => setEdge(edgeAt(location.current.input.clientY)),
        onDragLeave: () => setEdge(undefined),
        onDrop: ({ source, location }) => {
          setEdge(undefined);
          const from = source.data.index as number;
          const gap = index + (edgeAt(location.current.input.clientY) === "below" ? 1 : 0);
          const to = gap > from ? gap - 1 : gap;
          if (to !== from) onMove(from, to);
        },
      }),
    );
  }, [list, index, isReadOnly, onMove]);
  return edge;
}
