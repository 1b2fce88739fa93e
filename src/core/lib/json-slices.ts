import { setImmediate } from "node:timers/promises";
import { formatJson, isJsonObject, type Json, JsonReader } from "./json.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/**
 * Parses and formats large JSON in slices and yields to the event loop between two slices, so that the thread can do
 * other work. A value that fits into one slice is handled synchronously.
 */

/** This many values make a slice: one or two milliseconds. */
const valuesInSlice = 2000;

/** Parses as parseJson does; throws, or rejects, as it does. */
export function parseJsonLater(text: string, maxDepth = 64): MaybePromise<Json> {
  const reader = new JsonReader(text, maxDepth);
  return reader.read(valuesInSlice) ? reader.value : readOn(reader);
}

async function readOn(reader: JsonReader): Promise<Json> {
  do await setImmediate();
  while (!reader.read(valuesInSlice));
  return reader.value;
}

/** Formats a value as formatJson does. The value must not change meanwhile. */
export function formatJsonLater(value: Json): MaybePromise<string> {
  const writer = new JsonWriter(value);
  return writer.write(valuesInSlice) ? writer.text : writeOn(writer);
}

async function writeOn(writer: JsonWriter): Promise<string> {
  do await setImmediate();
  while (!writer.write(valuesInSlice));
  return writer.text;
}

/** A container being written: its remaining members. */
type Open = { members: Iterator<[string, Json]> | undefined; items: Iterator<Json> | undefined; isEmpty: boolean };

/** Writes a value, a number of members at a time. Without recursion, so that it can stop anywhere. */
class JsonWriter {
  text = "";
  private readonly open: Open[] = [];

  constructor(value: Json) {
    this.put(value);
  }

  /** Writes at most this many members; true when the whole value was written. */
  write(maxMembers: number): boolean {
    for (let left = maxMembers; left > 0 && this.open.length > 0; left--) this.next(this.open.at(-1) as Open);
    return this.open.length === 0;
  }

  private next(container: Open): void {
    const { members, items } = container;
    const { done, value } = (members ?? items)?.next() ?? { done: true };
    if (done) {
      this.open.pop();
      this.text += members ? "}" : "]";
      return;
    }
    if (!container.isEmpty) this.text += ",";
    container.isEmpty = false;
    if (members) {
      const [key, member] = value as [string, Json];
      this.text += `${JSON.stringify(key)}:`;
      this.put(member);
    } else this.put(value as Json);
  }

  private put(value: Json): void {
    if (isJsonObject(value)) {
      this.text += "{";
      this.open.push({ members: value.entries(), items: undefined, isEmpty: true });
    } else if (Array.isArray(value)) {
      this.text += "[";
      this.open.push({ members: undefined, items: value.values(), isEmpty: true });
    } else this.text += formatJson(value);
  }
}
