import { Memo } from "../core/lib/memo.ts";
import { type Path, parentOf } from "../core/path.ts";
import { collectRows } from "../core/sql/index/build.ts";
import { type FieldIndex, rowsOf } from "../core/sql/index/field-row.ts";
import { presentIndex } from "../core/sql/index/keys.ts";
import type { SharedSql } from "../core/sql/sql.ts";
import type { File } from "./file.ts";
import { findFolder } from "./folder-rows.ts";
import { fileTable, insertFileRow, objectOf } from "./rows.ts";

/** Adds files unchanged, with their index rows, to a store that has none of them. */
export class FileLoader {
  private readonly sql: SharedSql;
  private readonly folders = new Memo<Path, Promise<number | null>>(10_000);
  private index: FieldIndex | undefined;

  constructor(sql: SharedSql) {
    this.sql = sql;
  }

  /** All in the transaction of the caller. The database refuses a file without a folder. */
  async add(files: readonly File[]): Promise<void> {
    const { sql } = this;
    this.index ??= await presentIndex(sql);
    const group = [];
    for (const file of files) {
      const parent = await this.folderNumber(parentOf(file.path));
      group.push({ file, parent, ...rowsOf(objectOf(file), fileTable, this.index) });
    }
    // Not one by one: on a server each would be a round trip.
    const ids = await Promise.all(group.map(({ file, parent, lacking }) => insertFileRow(sql, file, parent, lacking)));
    const items = group.map(({ parent, rows }, i) => ({
      owner: { item: ids[i] as number, parent: parent as number },
      rows,
    }));
    await collectRows(this.index, fileTable, items);
  }

  private folderNumber = (path: Path): Promise<number | null> =>
    this.folders.get(path, async () => (await findFolder(this.sql, path))?.id ?? null);
}
