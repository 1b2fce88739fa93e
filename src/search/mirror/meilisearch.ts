import { formatJson } from "../../core/lib/json.ts";
import {
  type Document,
  hashField,
  ifThere,
  jsonOf,
  type Known,
  putByHalves,
  type Target,
  type TargetOptions,
  TargetRefusal,
  until,
} from "./target.ts";

/**
 * Meilisearch: writes are tasks, done later and in order. An index has no place for a cursor, and a document with it would be
 * found by searches: it is in an index of its own beside.
 */

const pageSize = 1000;

type Task = { status: string; error?: { message: string; type: string } | null };

export function meilisearch({ send, index, wait }: TargetOptions): Target {
  const documentsOf = (name: string) => `/indexes/${encodeURIComponent(name)}/documents`;
  const beside = `${index}_octavo`;

  /** Resolves when the task of a write is done. */
  const write = async (path: string, json: string): Promise<void> => {
    const { taskUid } = await jsonOf<{ taskUid: number }>(await send({ method: "POST", path, json }));
    const { status, error } = await until(async () => {
      const task = await jsonOf<Task>(await send({ method: "GET", path: `/tasks/${taskUid}` }));
      return ["enqueued", "processing"].includes(task.status) ? undefined : task;
    }, wait);
    if (status === "succeeded") return;
    const isOfDocuments = error?.type === "invalid_request";
    throw new TargetRefusal(isOfDocuments ? 400 : 500, error?.message ?? `task ${taskUid} was ${status}`);
  };
  const putAll = (documents: readonly Document[]) =>
    write(`${documentsOf(index)}?primaryKey=uuid`, `[${documents.map(({ fields }) => formatJson(fields)).join(",")}]`);

  return {
    // The first document makes it.
    open: async () => undefined,
    put: (documents) => putByHalves(documents, putAll),
    remove: async (uuids) => {
      if (uuids.length > 0) await ifThere(write(`${documentsOf(index)}/delete-batch`, JSON.stringify(uuids)));
    },
    async *all() {
      for (let offset = 0; ; offset += pageSize) {
        const path = `${documentsOf(index)}?fields=uuid,${hashField}&limit=${pageSize}&offset=${offset}`;
        const reply = await ifThere(send({ method: "GET", path }));
        if (!reply) return;
        const { results } = await jsonOf<{ results: { uuid: string; [hashField]?: string }[] }>(reply);
        yield results.map((each): Known => ({ uuid: each.uuid, hash: each[hashField] }));
        if (results.length < pageSize) return;
      }
    },
    cursor: async () => {
      const reply = await ifThere(send({ method: "GET", path: `${documentsOf(beside)}/cursor` }));
      return reply && (await jsonOf<{ cursor?: string }>(reply)).cursor;
    },
    keep: (cursor) => write(`${documentsOf(beside)}?primaryKey=id`, JSON.stringify([{ id: "cursor", cursor }])),
  };
}
