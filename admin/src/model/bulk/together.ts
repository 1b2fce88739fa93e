import { type BatchOperation, OctavoProblem } from "../../../../client/src/client.ts";
import { octavo } from "../../api/octavo.ts";
import { say } from "../../language/say.ts";
import { messageOf } from "../../model/message.ts";
import type { Failures } from "./each.ts";

/** What was answered to each change, or what kept all of them from being made. */
type Together<T> = Failures<T> & { etags: (string | null)[] };

const maxTogether = 1000;
/** A browser finishes a larger request only while the page is open. */
const maxKeptAlive = 200;

/**
 * Makes one change of each thing in one batch: all are made, or none, and then all have failed, for the reason of the
 * first. More than a batch takes are several.
 */
export async function doTogether<T>(
  things: readonly T[],
  nameOf: (thing: T) => string,
  operationOf: (thing: T) => BatchOperation,
): Promise<Together<T>> {
  const etags: (string | null)[] = [];
  for (let at = 0; at < things.length; at += maxTogether) {
    const some = things.slice(at, at + maxTogether);
    try {
      const answers = await octavo.batch(some.map(operationOf), { keepalive: some.length <= maxKeptAlive });
      etags.push(...answers.map(({ etag }) => etag));
    } catch (error) {
      const first = error instanceof OctavoProblem ? some[error.operation ?? -1] : undefined;
      const reason = first === undefined ? messageOf(error) : `${nameOf(first)}: ${messageOf(error)}`;
      const none = things.length > 1 ? `\n${say("Nothing was changed.")}` : "";
      return { failed: things.slice(at), message: reason + none, errors: [error], etags };
    }
  }
  return { failed: [], message: "", errors: [], etags };
}
