import "./history.css";
import type { ReactNode } from "react";
import { formatJson, isObject, isSame, type Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { itemIn, nameIn, shapeIn } from "../model/form/named.ts";
import type { Shape } from "../model/form/schema.ts";
import { EntryTitle, FileName } from "../query/reference.tsx";

const textOfValue = (value: Json): string => (typeof value === "string" ? value : formatJson(value, 1));

/** True for a text that means something else, which is told apart as a whole. */
export const isMeant = (shape: Shape | undefined): boolean =>
  shape?.kind === "choice" || (shape?.kind === "text" && (shape.input === "entry" || shape.input === "file"));

/** A value as its form has it: references by title and picture, choices by label, fields by name. Without a form as JSON. */
export function ValueView({ value, shape }: { value: Json; shape: Shape | undefined }): ReactNode {
  if (!shape) return textOfValue(value);
  if (shape.kind === "choice") {
    const option = shape.options.find((each) => isSame(each.value, value));
    return option?.label ?? textOfValue(value);
  }
  if (shape.kind === "text" && typeof value === "string" && value !== "") {
    if (shape.input === "entry") return <EntryTitle id={value} />;
    if (shape.input === "file") return <FileName path={value} />;
  }
  if (typeof value === "boolean") return value ? say("Yes") : say("No");
  if (Array.isArray(value))
    return (
      <ul className="value-items">
        {value.map((item, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a value that is shown does not change.
          <li key={i}>
            <ValueView value={item} shape={itemIn(shape)} />
          </li>
        ))}
      </ul>
    );
  if (!isObject(value)) return textOfValue(value);
  return (
    <span className="value-fields">
      {Object.entries(value).map(([name, own]) => (
        <span key={name}>
          <b>{nameIn(shape, name) ?? name}</b> <ValueView value={own} shape={shapeIn(shape, name)} />
        </span>
      ))}
    </span>
  );
}
