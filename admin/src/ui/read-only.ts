import { createContext } from "react";

/** True where text cannot be edited. Code editors follow it; other fields follow the fieldset around them. */
export const ReadOnlyContext = createContext(false);
