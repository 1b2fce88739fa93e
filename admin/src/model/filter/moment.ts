import { condition } from "../../../../client/src/client.ts";
import { say } from "../../language/say.ts";
import { toLocalInput } from "../format.ts";

/** Times and states of entries, as filters of tables name them. */

/** The fields of the service that are times in seconds. */
export const momentFields: ReadonlySet<string> = new Set(["published_at", "modified_at", "created_at"]);

export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** When a day begins here, in Unix seconds, or one of the days after it. */
export function secondsOf(day: string, daysLater: number): number {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return Math.floor(new Date(year, month - 1, date + daysLater).getTime() / 1000);
}

/** The moment of a date and a time of this device, as entries may hold it in any time zone; empty for none. */
export const momentAt = (local: string): string => (local === "" ? "" : new Date(local).toISOString());

/** The date and the time of a moment on this device, for an input; empty for what is none. */
export function localOf(moment: string): string {
  const at = /^\d{4}-\d\d-\d\dT/.test(moment) ? Date.parse(moment) : Number.NaN;
  return Number.isNaN(at) ? "" : toLocalInput(at / 1000);
}

/** The states of entries, by the names that the column has. */
export const stateOptions = [
  { value: "public", label: say("Public") },
  { value: "scheduled", label: say("Scheduled") },
  { value: "hidden", label: say("Hidden") },
  { value: "draft", label: say("Draft") },
] as const;

/** The conditions on a state that is no visibility of its own, which says most first; undefined for another value. */
export function stateConditions(operator: string, value: string) {
  const now = String(Math.floor(Date.now() / 1000));
  const is = operator === "eq";
  if (!is && operator !== "neq") return undefined;
  if (value === "public") {
    const visible = condition("visibility", is ? "eq" : "neq", "visible");
    return is ? [visible, condition("published_at", "lte", now)] : [visible];
  }
  if (value !== "scheduled") return undefined;
  const later = condition("published_at", is ? "gt" : "lte", now);
  return is ? [later, condition("visibility", "neq", "draft")] : [later];
}
