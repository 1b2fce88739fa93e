import { Table } from "@mantine/core";
import { memo, type ReactNode, useEffect, useRef, useState } from "react";

/**
 * The rows of a long table in blocks, of which only those near the window are drawn. A block with the focus
 * stays.
 */

/** As many rows are all drawn: a page of a list. */
export const mostDrawn = 50;
const blockRows = 10;
/** What a row takes before one was measured, in pixels. */
const usualHeight = 57;
/** From here on a block is near. Another one is drawn on each side, so that the next key finds its row. */
const margin = "200px 0px";

type RowsProps<T> = {
  rows: readonly T[];
  /** How many there are. */
  columns: number;
  /** Draws a row. In a long table `place` is its number, of which the heading has the first. */
  row(thing: T, place: number | undefined): ReactNode;
};

/** The bodies of a table. */
export function Rows<T>({ rows, columns, row }: RowsProps<T>) {
  const { near, heights, watch } = useNear();
  const isLong = rows.length > mostDrawn;
  const count = Math.ceil(rows.length / blockRows);
  return Array.from({ length: count }, (_, i) => {
    const from = i * blockRows;
    const to = Math.min(from + blockRows, rows.length);
    const isDrawn = !isLong || near.has(i - 1) || near.has(i) || near.has(i + 1);
    const height = heights.get(i) ?? (to - from) * usualHeight;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a block is a place in the table, whatever it holds.
      <Block key={i} index={i} isLast={i === count - 1} columns={columns} height={height} watch={watch}>
        {isDrawn && rows.slice(from, to).map((thing, at) => row(thing, isLong ? from + at + 2 : undefined))}
      </Block>
    );
  });
}

type BlockProps = {
  index: number;
  isLast: boolean;
  columns: number;
  /** Where it is not drawn. */
  height: number;
  watch(element: HTMLElement | null): (() => void) | undefined;
  /** Its rows, where it is drawn. */
  children: ReactNode;
};

const Block = memo(
  ({ index, isLast, columns, height, watch, children }: BlockProps) => (
    <Table.Tbody
      ref={watch}
      data-block={index}
      data-goes-on={!isLast || undefined}
      aria-hidden={!children || undefined}
    >
      {children || (
        <tr style={{ height }}>
          <td colSpan={columns} />
        </tr>
      )}
    </Table.Tbody>
  ),
  (before, after) =>
    before.children === false &&
    after.children === false &&
    (["isLast", "columns", "height"] as const).every((name) => before[name] === after[name]),
);

/** The blocks near the window, and how high those were that no longer are. */
function useNear() {
  const [near, setNear] = useState<ReadonlySet<number>>(new Set([0]));
  const heights = useRef(new Map<number, number>());
  const observer = useRef<IntersectionObserver>(undefined);
  const [watch] = useState(() => (element: HTMLElement | null) => {
    if (!element) return undefined;
    observer.current ??= new IntersectionObserver(
      (changes) => setNear((before) => nearAfter(before, changes, heights.current)),
      { rootMargin: margin },
    );
    const { current } = observer;
    current.observe(element);
    return () => current.unobserve(element);
  });
  useEffect(() => () => observer.current?.disconnect(), []);
  return { near, heights: heights.current, watch };
}

function nearAfter(
  before: ReadonlySet<number>,
  changes: readonly IntersectionObserverEntry[],
  heights: Map<number, number>,
): ReadonlySet<number> {
  const after = new Set(before);
  for (const { target, isIntersecting, boundingClientRect } of changes) {
    const index = Number((target as HTMLElement).dataset.block);
    if (target.isConnected && boundingClientRect.height > 0) heights.set(index, boundingClientRect.height);
    if (isIntersecting || target.contains(document.activeElement)) after.add(index);
    else after.delete(index);
  }
  const isSame = after.size === before.size && after.isSubsetOf(before);
  return isSame ? before : after;
}
