import { type BatchOperation, OctavoProblem } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { wordsOf } from "../form/context.ts";
import { say } from "../language/say.ts";
import type { FilterField } from "../model/filter/filter-field.ts";
import { faultsOf } from "../model/form/faults.ts";
import { segmentsOf } from "../model/form/pointer.ts";
import { formatCount } from "../model/format.ts";
import { messageOf } from "../model/message.ts";
import type { ImportRow } from "../model/table/import.ts";
import { rereadAll } from "../query/entry.ts";
import { findEntry } from "../query/find-entry.ts";

/** Rows of a table become entries, all of them or none: what would be refused is asked before anything is written. */

/** As many as one batch takes. */
const mostTogether = 1000;
/** Each is one more question. */
const mostRefused = 20;

export type Refusal = { line: number; id: string; reason: string };
export type Imported = { created: number; updated: number; unchanged: number };

/** Those of the ids that there are already. */
export async function presentIds(rows: readonly ImportRow[]): Promise<Set<string>> {
  const found = await Promise.all(rows.map(({ id }) => findEntry(id)));
  return new Set(found.flatMap((entry) => entry?.slug ?? []));
}

type Plan = {
  rows: readonly ImportRow[];
  present: ReadonlySet<string>;
  fields: readonly FilterField[];
  isDraft: boolean;
};

/** The rows that the service refuses, with its reasons, as far as twenty of them; nothing is written. */
export async function refusalsOf({ rows, fields, ...plan }: Plan): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  for (const some of partsOf(rows)) {
    let left = some;
    while (left.length > 0 && refusals.length < mostRefused) {
      const refused = await octavo.batch(left.map(operationOf(plan)), { dryRun: true }).then(
        () => undefined,
        (error: unknown) => ({ error, row: error instanceof OctavoProblem ? left[error.operation ?? -1] : undefined }),
      );
      if (!refused) break;
      const { row, error } = refused;
      if (!row) throw error;
      refusals.push({ line: row.line, id: row.id, reason: reasonOf(error, fields) });
      left = left.filter((each) => each !== row);
    }
  }
  return refusals;
}

/** Writes the rows: a thousand together are all written, or none. */
export async function importRows({ rows, ...plan }: Plan): Promise<Imported> {
  const imported: Imported = { created: 0, updated: 0, unchanged: 0 };
  try {
    for (const some of partsOf(rows)) {
      const answers = await octavo.batch(some.map(operationOf(plan)));
      for (const [i, { outcome }] of answers.entries()) {
        if (!plan.present.has(some[i]?.id ?? "")) imported.created++;
        else if (outcome === "unchanged") imported.unchanged++;
        else imported.updated++;
      }
    }
  } catch (error) {
    const { created, updated, unchanged } = imported;
    const before = created + updated + unchanged;
    throw before === 0
      ? error
      : new Error(
          say("The first {before} rows are imported, no others: {reason}", {
            before: formatCount(before),
            reason: messageOf(error),
          }),
        );
  } finally {
    await rereadAll();
  }
  return imported;
}

const partsOf = (rows: readonly ImportRow[]): ImportRow[][] =>
  Array.from({ length: Math.ceil(rows.length / mostTogether) }, (_, i) =>
    rows.slice(i * mostTogether, (i + 1) * mostTogether),
  );

const operationOf =
  ({ present, isDraft }: Pick<Plan, "present" | "isDraft">) =>
  ({ id, data }: ImportRow): BatchOperation => {
    if (!present.has(id)) {
      const made = isDraft ? { visibility: "draft", ...data } : data;
      return { call: "POST /api/entries", args: { id, data: made }, onConflict: "fail" };
    }
    // Groups are merged, so that their other fields stay; an upsert would replace them.
    const isDeep = Object.values(data).some((value) => typeof value === "object" && !Array.isArray(value));
    return isDeep
      ? { call: "PATCH /api/entries", args: { id, data }, mergePatch: true }
      : { call: "POST /api/entries", args: { id, data }, onConflict: "update" };
  };

function reasonOf(error: unknown, fields: readonly FilterField[]): string {
  const told = faultsOf(error).map((fault) => {
    const key = segmentsOf(fault.pointer).join(".");
    return `${fields.find((field) => field.key === key)?.name ?? key}: ${wordsOf(fault)}`;
  });
  return told.length > 0 ? told.join("; ") : messageOf(error);
}
