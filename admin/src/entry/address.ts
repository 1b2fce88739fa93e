import { addressOf } from "../ui/location.tsx";

/** The address of the list of what lies below a path. */
export const addressBelow = (path: string, search: Record<string, string> = {}): string =>
  addressOf("entries", path, { ...(path === "" ? {} : { view: "below" }), ...search });
