import { ColorSwatch, Group } from "@mantine/core";
import { formatJson, isNumber, type Json } from "../api/json.ts";
import { formatting } from "../language/language.ts";
import { say } from "../language/say.ts";
import type { Shape } from "../model/form/schema.ts";
import { formatMoment } from "../model/format.ts";
import { EntryTitle, FileName } from "../query/reference.tsx";
import { Thumbnail } from "../ui/thumbnail.tsx";

type TypedValueProps = { shape: Shape; value: Json | undefined };

/** A value of a field in a list, on one line. A value that is not of the field's kind is shown as JSON. */
export function TypedValue({ shape, value }: TypedValueProps) {
  if (value === undefined || value === null) return null;
  if (shape.kind === "choice") {
    const option = shape.options.find((each) => formatJson(each.value) === formatJson(value));
    if (option) return <Line text={option.label} />;
  }
  if (Array.isArray(value) && value.length > 0) return <Several shape={shape} values={value} />;
  if (typeof value === "boolean") return <Line text={value ? say("Yes") : say("No")} />;
  if (isNumber(value)) return <Line text={formatJson(value)} isNumber />;
  if (typeof value !== "string") return <Line text={formatJson(value)} isCode />;
  if (shape.kind !== "text") return <Line text={value} />;
  if (shape.input === "file") return <FileName path={value} />;
  if (shape.input === "entry") return <EntryTitle id={value} />;
  if (shape.input === "color") return <ColorValue color={value} />;
  return <Line text={shape.input === "date" ? dateOf(value) : shape.input === "date-time" ? momentOf(value) : value} />;
}

/** Of a list that is told on one line. */
const mostItems = 5;

function Several({ shape, values }: { shape: Shape; values: readonly Json[] }) {
  const item = shape.kind === "list" ? shape.item() : undefined;
  if (item?.kind !== "text" || !["entry", "file"].includes(item.input))
    return <Line text={values.map((value) => wordOf(item ?? shape, value)).join(", ")} />;
  return (
    <Group gap={8} wrap="nowrap" className="typed-value">
      {values.slice(0, mostItems).map((value, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a value that is shown does not change.
        <TypedValue key={i} shape={item} value={value} />
      ))}
      {values.length > mostItems && "…"}
    </Group>
  );
}

function wordOf(shape: Shape, value: Json): string {
  const options = shape.kind === "choice" || shape.kind === "checks" ? shape.options : [];
  const option = options.find((each) => formatJson(each.value) === formatJson(value));
  return option?.label ?? (typeof value === "string" ? value : formatJson(value));
}

const mostShown = 120;

function Line({ text, isNumber: isRight, isCode }: { text: string; isNumber?: true; isCode?: true }) {
  const shown = text.length > mostShown ? `${text.slice(0, mostShown).toWellFormed()}…` : text;
  return (
    <span className={isCode ? "typed-value mono" : "typed-value"} data-number={isRight} dir="auto" title={shown}>
      {shown}
    </span>
  );
}

const day = new Intl.DateTimeFormat(formatting, { dateStyle: "medium", timeZone: "UTC" });

/** A date as the browser's language writes it; another text as it is. */
function dateOf(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? text : day.format(time);
}

function momentOf(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? text : formatMoment(time / 1000);
}

const ColorValue = ({ color }: { color: string }) => (
  <Group gap={6} wrap="nowrap">
    {CSS.supports("color", color) && <ColorSwatch color={color} size={14} aria-hidden />}
    <Line text={color} isCode />
  </Group>
);

/** Before a title: where one row has a picture, the others keep its room, so that their titles are in one line. */
export const LeadPicture = ({ path }: { path: Json | undefined }) => (
  <span className="lead-picture">
    <Thumbnail path={path} />
  </span>
);
