import type { Visibility } from "../../api/entry.ts";

/** The public state of an entry. */
export type State = "Public" | "Hidden" | "Scheduled" | "Draft";

export function stateOf(visibility: Visibility, publishedAt: number): { label: State; color: string } {
  if (visibility === "draft") return { label: "Draft", color: "yellow" };
  if (publishedAt > Date.now() / 1000) return { label: "Scheduled", color: "blue" };
  return visibility === "hidden" ? { label: "Hidden", color: "gray" } : { label: "Public", color: "teal" };
}
