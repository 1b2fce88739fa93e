import { createContext } from "react";
import type { Renaming } from "../model/type/field-change.ts";

/** Is told each field that is renamed in the editor of a type. */
export const RenameContext = createContext<(renaming: Renaming) => void>(() => undefined);
