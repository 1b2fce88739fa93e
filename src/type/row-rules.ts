import { formatJson } from "../core/lib/json.ts";
import { type BackupRow, count, json, matching, oneOf, refused, text } from "../core/row-column.ts";
import { isTypeId, parsePaths, parseSchema, parseType, type SentType, typeModes } from "./type.ts";

export const typeIdColumn = matching(isTypeId, "the id of a type");

/** The rules of a stored type: see core/row.ts. */
export const typeRule = {
  noun: "type",
  columns: {
    id: typeIdColumn,
    title: text,
    description: text,
    paths: text,
    schema: text,
    mode: oneOf(typeModes),
    revision: count,
  },
  whole: checkType,
  key: ({ id }: BackupRow) => id,
};

/** Whether the schema compiles is not checked here: it may refer to types whose rows follow. */
function checkType(row: BackupRow): void {
  const paths = parsePaths(json("paths", row.paths));
  if (formatJson([...paths]) !== row.paths) throw refused("paths", row.paths, "a list of patterns, each once");
  parseType({ ...row, paths, schema: parseSchema(json("schema", row.schema)) } as unknown as SentType);
}
