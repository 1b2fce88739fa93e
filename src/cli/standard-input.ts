import { UsageError } from "./command.ts";

const maxBytes = 64 * 1024;

/**
 * The one line that standard input holds, without its end; bytes beyond ASCII stand as they are (Latin-1). Throws
 * UsageError for several lines, or more than 64 KiB; `flag` is what asked for it.
 */
export async function readOneLine(flag: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  const line = Buffer.concat(chunks)
    .toString("latin1")
    .replace(/\r?\n$/, "");
  if (line.includes("\n")) throw new UsageError(`${flag} got more than one line; expected exactly one line`);
  return line;
}
