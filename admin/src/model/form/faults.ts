import { type DataFault, OctavoProblem } from "../../../../client/src/client.ts";
import type { Json } from "../../api/json.ts";
import { say } from "../../language/say.ts";
import { labelOfField } from "./item-name.ts";
import { memberOf, segmentsOf, valueAt } from "./pointer.ts";
import type { Shape } from "./schema.ts";
import { variantOf } from "./value.ts";

/** The faults of a refusal of data; none for any other error. */
export const faultsOf = (error: unknown): readonly DataFault[] =>
  error instanceof OctavoProblem && error.code === "data_invalid" ? error.dataFaults : [];

/** The faults whose value is the one that was refused. */
export const lastingFaults = (faults: readonly DataFault[], refused: Json, now: Json): DataFault[] =>
  faults.filter(({ pointer }) => valueAt(refused, pointer) === valueAt(now, pointer));

export const byPointer = (faults: readonly DataFault[]): Map<string, DataFault[]> =>
  Map.groupBy(faults, ({ pointer }) => pointer);

/** The names of a field and of what it is in, `Ratings › 2 › Score`. */
export function pathLabel(root: Shape, data: Json | undefined, pointer: string): string {
  let shape: Shape | undefined = root;
  let value: Json | undefined = data;
  const names: string[] = [];
  for (const segment of segmentsOf(pointer)) {
    while (shape?.kind === "variants") shape = shape.variants[variantOf(shape.variants, value)]?.shape();
    const inner: Shape | undefined = innerOf(shape, segment);
    const isItem = Array.isArray(value) || (value === undefined && shape?.kind === "list");
    names.push(isItem ? String(Number(segment) + 1) : inner ? labelOfField(segment, inner) : segment);
    value = memberOf(value, segment);
    shape = inner;
  }
  return names.join(" › ") || say("The entry");
}

/** What the service says of a fault, with the names of the form in place of the pointer. */
export function faultText(
  shape: Shape | undefined,
  { pointer, message }: Pick<DataFault, "pointer" | "message">,
): string {
  const place = JSON.stringify(pointer);
  if (!shape || pointer === "" || !message.startsWith(place)) return message;
  return pathLabel(shape, undefined, pointer) + message.slice(place.length);
}

function innerOf(shape: Shape | undefined, segment: string): Shape | undefined {
  if (shape?.kind === "list") return shape.item();
  return shape?.kind === "object" ? shape.fields.find(({ name }) => name === segment)?.shape() : undefined;
}
