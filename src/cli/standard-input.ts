import { type CommandCall, UsageError } from "./command.ts";

const maxBytes = 64 * 1024;

/**
 * Reads the single line on standard input, without its line end, as Latin-1. Stops reading after 64 KiB. `flag` is
 * named in the UsageError for several lines.
 */
export async function readOneLine({ io }: CommandCall, flag: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin as AsyncIterable<Buffer>) {
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
