import type { Json } from "../../api/json.ts";
import { say } from "../../language/say.ts";
import type { FieldWords } from "../difference.ts";
import { formatMoment } from "../format.ts";

const visibilities: Record<string, string> = { visible: say("Visible"), hidden: say("Hidden"), draft: say("Draft") };

/** The fields of an entry as its form names them. */
export const fieldWords: FieldWords = {
  title: { label: say("Title") },
  content: { label: say("Content") },
  visibility: { label: say("Visibility"), show: (value) => visibilities[String(value)] ?? String(value) },
  published_at: { label: say("Publish date"), show: (value) => formatMoment(Number(value)) },
  published_by: { label: say("Published by") },
  created_by: { label: say("Created by") },
  routable: { label: say("Has a page of its own"), show: (value: Json) => (value === true ? say("Yes") : say("No")) },
};

/** The box of a restore that brings back more than the fields. */
export const stateLabel = say("Bring back visibility and publish date, too");
