import type { Json } from "../../api/json.ts";
import type { FieldWords } from "../difference.ts";
import { formatMoment } from "../format.ts";

const visibilities: Record<string, string> = { visible: "Visible", hidden: "Hidden", draft: "Draft" };

/** The fields of an entry as its form names them. */
export const fieldWords: FieldWords = {
  title: { label: "Title" },
  content: { label: "Content" },
  visibility: { label: "Visibility", show: (value) => visibilities[String(value)] ?? String(value) },
  published_at: { label: "Publish date", show: (value) => formatMoment(Number(value)) },
  published_by: { label: "Published by" },
  created_by: { label: "Created by" },
  routable: { label: "Has a page of its own", show: (value: Json) => (value === true ? "Yes" : "No") },
};

/** The box of a restore that brings back more than the fields. */
export const stateLabel = "Bring back visibility and publish date, too";
