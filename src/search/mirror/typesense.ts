import { formatJson } from "../../core/lib/json.ts";
import {
  hashField,
  ifThere,
  jsonOf,
  type Known,
  type Refused,
  type Target,
  type TargetOptions,
  TargetRefusal,
} from "./target.ts";

/**
 * Typesense: a collection with the fields that documents have. What versions before 28 have for the cursor is a document, in a
 * collection of its own beside.
 */

/** The uuids of a delete are in its address. */
const mostRemoved = 50;
/** Lines of an export that are handed on at once. */
const pageSize = 1000;

type Line = { success: boolean; error?: string };

export function typesense({ send, index }: TargetOptions): Target {
  const at = (name: string) => `/collections/${encodeURIComponent(name)}`;
  const beside = `${index}_octavo`;

  const make = async (name: string, schema: object): Promise<void> => {
    if (await ifThere(send({ method: "GET", path: at(name) }))) return;
    await send({ method: "POST", path: "/collections", json: JSON.stringify({ name, ...schema }) });
  };

  return {
    open: async () => {
      // A value that does not fit the type of its field is left out of the search, not its document.
      const fields = [
        { name: hashField, type: "string", index: false, optional: true },
        { name: ".*", type: "auto" },
      ];
      await make(index, { enable_nested_fields: true, fields });
      await make(beside, { fields: [{ name: "cursor", type: "string" }] });
    },
    put: async (documents) => {
      if (documents.length === 0) return [];
      const lines = documents.map(({ uuid, fields }) => formatJson(new Map([...fields, ["id", uuid]])));
      const path = `${at(index)}/documents/import?action=upsert&dirty_values=coerce_or_drop`;
      const refused: Refused[] = [];
      let count = 0;
      for await (const line of linesOf(await send({ method: "POST", path, lines }))) {
        const { success, error = "" } = JSON.parse(line) as Line;
        const document = documents[count++];
        if (!success && document) refused.push({ uuid: document.uuid, why: error });
      }
      if (count !== documents.length)
        throw new TargetRefusal(500, `${count} lines answer ${documents.length} documents`);
      return refused;
    },
    remove: async (uuids) => {
      for (let i = 0; i < uuids.length; i += mostRemoved) {
        const filter = `id:[${uuids.slice(i, i + mostRemoved).join(",")}]`;
        await send({ method: "DELETE", path: `${at(index)}/documents?filter_by=${encodeURIComponent(filter)}` });
      }
    },
    async *all() {
      const path = `${at(index)}/documents/export?include_fields=id,${hashField}`;
      let some: Known[] = [];
      for await (const line of linesOf(await send({ method: "GET", path }))) {
        const document = JSON.parse(line) as { id: string; [hashField]?: string };
        some.push({ uuid: document.id, hash: document[hashField] });
        if (some.length < pageSize) continue;
        yield some;
        some = [];
      }
      yield some;
    },
    cursor: async () => {
      const reply = await ifThere(send({ method: "GET", path: `${at(beside)}/documents/cursor` }));
      return reply && (await jsonOf<{ cursor?: string }>(reply)).cursor;
    },
    keep: async (cursor) => {
      const path = `${at(beside)}/documents?action=upsert`;
      await send({ method: "POST", path, json: JSON.stringify({ id: "cursor", cursor }) });
    },
  };
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() as string;
    yield* lines.filter((line) => line !== "");
  }
  if (rest !== "") yield rest;
}
