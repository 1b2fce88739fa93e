import type { Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { JsonPart } from "../lib/brackets.ts";
import { type Problem, problem } from "../problem.ts";
import { parseArgument } from "./json-text.ts";
import { maxBodyBytes } from "./problem.ts";

/** A file part while it is received. Its bytes must be read to the end, or the form does not continue. */
export type FilePart = { name: string; filename: string; bytes: Readable };
/** A part with a JSON media type gives its value, any other its text. */
export type Field = [name: string, value: string | JsonPart];
export type OnFile = (part: FilePart, before: readonly Field[]) => Promise<void>;

export const maxFormFields = 10_000;

const chunkBytes = 256 * 1024;
const maxNameLength = 1024;
const limits = {
  fieldSize: maxBodyBytes,
  fields: maxFormFields,
  parts: maxFormFields + 10,
  headerPairs: 20,
};

/**
 * Parses a form (RFC 7578) while it is received and returns its fields in order. `onFile` gets each file part with the
 * fields before it; an error of it ends the read. Throws body_invalid, body_too_large, query_too_complex, text_invalid,
 * argument_invalid and key_forbidden (a JSON part), and the signal's reason. The source is left at the position where
 * the read ended.
 */
export function readMultipart(
  source: Readable,
  contentType: string,
  onFile: OnFile,
  signal?: AbortSignal,
): Promise<Field[]> {
  return new FormReading(source, contentType, onFile, signal).fields;
}

class FormReading {
  readonly fields: Promise<Field[]>;
  private readonly source: Readable;
  private readonly parser: BusboyInstance;
  private readonly read: Field[] = [];
  private readonly resolve: (fields: Field[]) => void;
  private readonly reject: (error: unknown) => void;
  private bytes = 0;
  private files: Promise<void> = Promise.resolve();
  private current: Readable | undefined;
  private isOver = false;

  constructor(source: Readable, contentType: string, onFile: OnFile, signal: AbortSignal | undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<Field[]>();
    this.fields = promise;
    this.resolve = resolve;
    this.reject = reject;
    this.source = source;
    this.parser = newParser(contentType);
    const { parser } = this;
    parser.on("field", (name, value, _isNameCut, isValueCut, _encoding, type) => {
      if (isValueCut || (name?.length ?? 0) > maxNameLength)
        this.fail(problem("body_too_large", { limit: maxBodyBytes }));
      else this.addField(name ?? "", value, type);
    });
    parser.on("file", (name, stream, filename) => this.addFile(name ?? "", stream, filename, onFile));
    const tooMany = () => this.fail(problem("query_too_complex", { rule: `more than ${maxFormFields} form fields` }));
    parser.on("fieldsLimit", tooMany);
    parser.on("partsLimit", tooMany);
    parser.on("error", () => this.fail(unreadable()));
    parser.on("finish", () => this.files.then(() => this.succeed()).catch((error: unknown) => this.fail(error)));
    signal?.addEventListener("abort", () => this.fail(signal.reason));
    source.on("error", () => this.fail(cutOff()));
    source.on("aborted", () => this.fail(cutOff()));
    source.on("close", () => (source.readableEnded ? undefined : this.fail(cutOff())));
    source.pipe(parser);
  }

  private addFile(name: string, stream: Readable, filename: string, onFile: OnFile): void {
    // Until the part is read, an error of it has no listener and would end the process.
    stream.on("error", () => undefined);
    // What was received in the same chunk as the fault is still parsed.
    if (this.isOver) return void stream.resume();
    this.current = stream;
    const rule = brokenTextRule(filename);
    if (rule) this.fail(problem("text_invalid", { argument: name, rule }));
    this.files = this.files.then(async () => {
      if (!this.isOver) await onFile({ name, filename: unescaped(filename), bytes: stream }, this.read);
    });
    this.files.catch((error: unknown) => this.fail(error));
  }

  private addField(name: string, value: string, type: string): void {
    const rule = brokenTextRule(name) ?? brokenTextRule(value);
    if (rule) this.fail(problem("text_invalid", { argument: name.slice(0, 80), rule }));
    this.bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (this.bytes > maxBodyBytes) this.fail(problem("body_too_large", { limit: maxBodyBytes }));
    try {
      this.read.push([name, isJson(type) ? new JsonPart(parseArgument(name, value)) : value]);
    } catch (error) {
      this.fail(error);
    }
  }

  private succeed(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.resolve(this.read);
  }

  /** Ends the read permanently: readers of a part get the error, the rest of the form is ignored. */
  private fail(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.source.unpipe(this.parser);
    this.current?.destroy(error as Error);
    this.reject(error);
  }
}

/** Browsers send these three so, and nothing else: HTML, multipart form data. */
const unescaped = (filename: string): string =>
  filename.replace(/%22|%0D|%0A/g, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)));

/**
 * The parser replaces bytes that are not UTF-8 by U+FFFD, so that character is refused too: everything is stored as
 * sent.
 */
function brokenTextRule(text: string): string | undefined {
  if (text.includes("\0")) return "U+0000";
  return text.includes("\ufffd") ? "bytes that are not UTF-8, or U+FFFD" : undefined;
}

function newParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits,
      highWaterMark: chunkBytes,
      fileHwm: chunkBytes,
      preservePath: true,
      // Browsers also name a Blob, which is how clients send an argument as JSON.
      isPartAFile: (name, type, filename) => filename !== undefined && (name === "file" || !isJson(type)),
    });
  } catch {
    throw unreadable();
  }
}

const isJson = (type: string | undefined): boolean => /^application\/(?:[\w.-]+\+)?json$/.test(type ?? "");

const unreadable = (): Problem =>
  problem("body_invalid", { reason: "its parts cannot be read", accepted: "multipart/form-data, RFC 7578" });
const cutOff = (): Problem =>
  problem("body_invalid", { reason: "the connection ended early", accepted: "the whole form" });
