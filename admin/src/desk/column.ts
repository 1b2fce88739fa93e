import type { ReactNode } from "react";
import type { Entry } from "../api/entry.ts";
import type { TypedColumn } from "../type/typed-list.tsx";

/** A column that may be chosen. The name of the state's is `visibility`. */
export type DeskColumn = Pick<TypedColumn, "field" | "label" | "isSortable"> & {
  isQuiet?: true;
  /** Absent: the table itself knows how. */
  show?(entry: Entry): ReactNode;
};
