/** A table as a text: RFC 4180, also as spreadsheets of other countries write it. */

/** The text of a file: UTF-8, or what old spreadsheets of Windows write. */
export function textOfBytes(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The rows with their cells; empty rows are left out, but counted by `line`, which is 1 for the first. */
export type CsvRow = { line: number; cells: string[] };

/** Reads a table whose cells a comma, a semicolon or a tab separates, whichever the first row has most of. */
export function parseCsv(text: string): CsvRow[] {
  const body = text.replace(/^\uFEFF/, "");
  const comma = separatorOf(body);
  const rows: CsvRow[] = [];
  let [cells, cell, isQuoted, line, began]: [string[], string, boolean, number, number] = [[], "", false, 1, 1];
  const endRow = (): void => {
    cells.push(cell);
    if (cells.some((each) => each !== "")) rows.push({ line: began, cells });
    [cells, cell] = [[], ""];
  };
  for (let i = 0; i < body.length; i++) {
    const sign = body[i] as string;
    if (sign === "\n") line++;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (body[i + 1] === '"') cell += body[++i];
      else isQuoted = false;
    } else if (sign === '"' && cell === "") isQuoted = true;
    else if (sign === comma) {
      cells.push(cell);
      cell = "";
    } else if (sign === "\n") {
      endRow();
      began = line;
    } else if (sign !== "\r") cell += sign;
  }
  endRow();
  return rows;
}

function separatorOf(text: string): string {
  const head = text.split("\n", 1)[0] ?? "";
  const countOf = (sign: string): number => head.split(sign).length;
  return [",", ";", "\t"].reduce((most, sign) => (countOf(sign) > countOf(most) ? sign : most));
}
