import { addressOf } from "./location.tsx";

/** The URL of the list of entries below a path. */
export const addressBelow = (path: string, search: Record<string, string> = {}): string =>
  addressOf("entries", path, { ...(path === "" ? {} : { view: "below" }), ...search });
