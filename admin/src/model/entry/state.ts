import type { Visibility } from "../../api/entry.ts";
import { say } from "../../language/say.ts";

/** The public state of an entry. */
export type State = "Public" | "Hidden" | "Scheduled" | "Draft";

/** As people read them. */
export const stateLabels: Readonly<Record<State, string>> = {
  Public: say("Public"),
  Hidden: say("Hidden"),
  Scheduled: say("Scheduled"),
  Draft: say("Draft"),
};

export function stateOf(visibility: Visibility, publishedAt: number): { label: State; color: string } {
  if (visibility === "draft") return { label: "Draft", color: "yellow" };
  if (publishedAt > Date.now() / 1000) return { label: "Scheduled", color: "blue" };
  return visibility === "hidden" ? { label: "Hidden", color: "gray" } : { label: "Public", color: "teal" };
}
