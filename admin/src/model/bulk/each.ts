import { messageOf } from "../../model/message.ts";

/** The failures of a bulk action: one line each, with name and reason. */
export type Failures<T> = { failed: T[]; message: string; errors: unknown[] };

/** Runs an action on each item in sequence; a failure does not stop it. */
export async function doEach<T>(
  things: readonly T[],
  nameOf: (thing: T) => string,
  act: (thing: T) => Promise<unknown>,
): Promise<Failures<T>> {
  const failed: T[] = [];
  const reasons: string[] = [];
  const errors: unknown[] = [];
  for (const thing of things) {
    await act(thing).catch((error: unknown) => {
      failed.push(thing);
      errors.push(error);
      reasons.push(`${nameOf(thing)}: ${messageOf(error)}`);
    });
  }
  return { failed, message: reasons.join("\n"), errors };
}
