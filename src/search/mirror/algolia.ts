import { formatJson, type JsonObject } from "../../core/lib/json.ts";
import {
  hashField,
  ifThere,
  jsonOf,
  type Known,
  putByHalves,
  type Target,
  type TargetOptions,
  until,
} from "./target.ts";

/** Algolia: batches are atomic and done in order, with the settings of the index, whose `userData` has the cursor. */

const pageSize = 1000;
/** Our member of `userData`; those of others stay. */
const member = "octavo_cursor";

type Settings = { userData?: Record<string, unknown> | null };
type Page = { hits: { objectID: string; [hashField]?: string }[]; cursor?: string };

export function algolia({ send, index, wait }: TargetOptions): Target {
  const at = `/1/indexes/${encodeURIComponent(index)}`;
  const batch = async (action: string, bodies: readonly JsonObject[]): Promise<void> => {
    const requests = bodies.map((body) => `{"action":"${action}","body":${formatJson(body)}}`);
    await jsonOf(await send({ method: "POST", path: `${at}/batch`, json: `{"requests":[${requests.join(",")}]}` }));
  };
  const userData = async (): Promise<Record<string, unknown>> => {
    const reply = await ifThere(send({ method: "GET", path: `${at}/settings` }));
    return (reply && (await jsonOf<Settings>(reply)).userData) || {};
  };

  return {
    // The first batch makes it.
    open: async () => undefined,
    put: (documents) =>
      putByHalves(documents, (some) =>
        batch(
          "updateObject",
          some.map(({ uuid, fields }) => new Map([...fields, ["objectID", uuid]])),
        ),
      ),
    remove: async (uuids) => {
      if (uuids.length > 0)
        await batch(
          "deleteObject",
          uuids.map((uuid) => new Map([["objectID", uuid]])),
        );
    },
    async *all() {
      let cursor: string | undefined;
      do {
        const sent = cursor ? { cursor } : { attributesToRetrieve: [hashField], hitsPerPage: pageSize };
        const reply = await ifThere(send({ method: "POST", path: `${at}/browse`, json: JSON.stringify(sent) }));
        if (!reply) return;
        const page = await jsonOf<Page>(reply);
        yield page.hits.map((hit): Known => ({ uuid: hit.objectID, hash: hit[hashField] }));
        cursor = page.cursor;
      } while (cursor);
    },
    cursor: async () => (await userData())[member] as string | undefined,
    keep: async (cursor) => {
      const json = JSON.stringify({ userData: { ...(await userData()), [member]: cursor } });
      const { taskID } = await jsonOf<{ taskID: number }>(await send({ method: "PUT", path: `${at}/settings`, json }));
      await until(async () => {
        const task = await jsonOf<{ status: string }>(await send({ method: "GET", path: `${at}/task/${taskID}` }));
        return task.status === "published" || undefined;
      }, wait);
    },
  };
}
