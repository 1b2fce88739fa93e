import type { FileObject } from "./api.ts";
import type { Entry } from "./entry.ts";

/** Things that entries refer to, sent along with these: entries by id and files by path. */
export type Included<E = Record<string, Entry>> = {
  entries: { readonly [Id in keyof E]: E[Id] | undefined };
  files: { readonly [path: string]: FileObject | undefined };
};
/** Fields that refer to things by id or path: `director`, `cast.actor`. What they refer to is in `included`. */
export type Including<Name extends string = string> = { include?: readonly Name[] | undefined };
/** With `include` requested. Not enumerable in an entry: what is written back does not have it. */
export type WithIncluded<I = Included> = { readonly included: I };

/** Gives the object what the reply included, if anything was requested. */
export function attach(object: unknown, included: object | undefined): void {
  if (included && object instanceof Object) Object.defineProperty(object, "included", { value: included });
}
