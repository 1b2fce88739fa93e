import { randomUUID } from "node:crypto";

/** A file of a form, whose bytes are read while they are sent, again for each try. */
export type FormFile = { name: string; size: number; open(): AsyncIterable<Uint8Array> };

/** The body of a form, of known length. */
export type FormBody = { type: string; size: number; pieces: AsyncIterable<Uint8Array> };

/** A form with one file under the name `file`. RFC 7578; names are escaped as browsers do. */
export function formBody(fields: Readonly<Record<string, string>>, file: FormFile): FormBody {
  const boundary = `octavo-${randomUUID()}`;
  const part = (name: string, more = "") =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${more}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(name)}${value}\r\n`);
  const head = Buffer.from(`${texts.join("")}${part("file", `; filename="${escaped(file.name)}"`)}`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* file.open();
    yield tail;
  }
  const size = head.length + file.size + tail.length;
  return { type: `multipart/form-data; boundary=${boundary}`, size, pieces: pieces() };
}

const escaped = (name: string): string => name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
