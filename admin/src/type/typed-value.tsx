import { ColorSwatch, Group } from "@mantine/core";
import { useState } from "react";
import { formatJson, isNumber, type Json } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { nameOf } from "../api/path.ts";
import type { Shape } from "../model/form/schema.ts";
import { formatMoment } from "../model/format.ts";
import { useMay } from "../session-context.ts";

type TypedValueProps = { shape: Shape; value: Json | undefined };

/** A value of a field in a list, on one line. A value that is not of the field's kind is shown as JSON. */
export function TypedValue({ shape, value }: TypedValueProps) {
  if (value === undefined || value === null) return null;
  if (shape.kind === "choice") {
    const option = shape.options.find((each) => formatJson(each.value) === formatJson(value));
    if (option) return <Line text={option.label} />;
  }
  if (typeof value === "boolean") return <Line text={value ? "Yes" : "No"} />;
  if (isNumber(value)) return <Line text={formatJson(value)} isNumber />;
  if (typeof value !== "string") return <Line text={formatJson(value)} isCode />;
  if (shape.kind !== "text") return <Line text={value} />;
  if (shape.input === "file") return <FileValue path={value} />;
  if (shape.input === "entry") return <Line text={value} isCode />;
  if (shape.input === "color") return <ColorValue color={value} />;
  return <Line text={shape.input === "date" ? dateOf(value) : shape.input === "date-time" ? momentOf(value) : value} />;
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

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

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

const picture = /\.(jpe?g|png|webp|avif|gif|svg)$/i;

const FileValue = ({ path }: { path: string }) => (
  <Group gap={8} wrap="nowrap">
    <Thumbnail path={path} />
    <Line text={nameOf(path)} />
  </Group>
);

/** Before a title: where one row has a picture, the others keep its room, so that their titles are in one line. */
export const LeadPicture = ({ path }: { path: Json | undefined }) => (
  <span className="lead-picture">
    <Thumbnail path={path} />
  </span>
);

/** The picture at a path; nothing for what is no picture of the service. */
export function Thumbnail({ path }: { path: Json | undefined }) {
  const [isBroken, setBroken] = useState(false);
  const mayRead = useMay("files");
  if (!mayRead || isBroken || typeof path !== "string" || !picture.test(path) || path.includes("://")) return null;
  return (
    <img
      className="typed-picture"
      src={octavo.imageUrl(path, { w: 48, h: 36, fit: "crop", dpr: 2, fm: "webp" })}
      alt=""
      loading="lazy"
      onError={() => setBroken(true)}
    />
  );
}
