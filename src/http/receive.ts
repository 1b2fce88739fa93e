import type { IncomingMessage, ServerResponse } from "node:http";
import type { BlobStore, StagedBlob } from "../domain/blob.ts";
import { type Problem, problem } from "../domain/problem.ts";
import { Arrival } from "./arrival.ts";
import { type Body, emptyBody, formBody, refuseCharset } from "./body.ts";
import { type Field, type FilePart, type OnFile, readMultipart } from "./multipart.ts";
import { type Spool, SpoolRoom } from "./spool.ts";

/** The file part of a form. */
export type ReceivedFile = { filename: string; staged: StagedBlob };

export type ReceiverOptions = {
  blobs: BlobStore;
  maxUploadBytes: number;
  maxSpools: number;
  maxSpoolBytes: number;
  /** What a sender has to keep up, and how long its form may take, as long as it is not known. */
  leastSpoolBytesPerSecond: number;
  maxSpoolMs: number;
  /** How long nothing may arrive. */
  idleMs: number;
};

/** How far a sender that is not known may be behind before it makes room for another. */
const spoolPatienceMs = 3000;

/**
 * Decides whether the sender is let in by the fields that have arrived, and tells who it is: undefined as long as they
 * do not hold all tokens, unless these are all fields. A sender that was let in stays so.
 */
export type Admit<A> = (fields: Body, areAll: boolean) => Promise<A> | undefined;

/** A form that was read whole: its fields, its file, which is the receiver's caller to discard, and who sent it. */
export type ReceivedForm<A> = { body: Body; file: ReceivedFile | undefined; sender: A };

/** Takes uploads in: a form with one file part, which goes to the disk while it arrives. Contract §2, §5. */
export class Receiver {
  private readonly options: ReceiverOptions;
  private readonly spools: SpoolRoom;

  constructor(options: ReceiverOptions) {
    this.options = options;
    this.spools = new SpoolRoom({
      maxCount: options.maxSpools,
      maxBytes: options.maxSpoolBytes,
      patienceMs: Math.min(spoolPatienceMs, options.idleMs),
    });
  }

  /**
   * Reads the form. The sender is admitted as soon as both tokens are known, before the file's first byte if they precede
   * it. A form that is refused leaves no file behind. Throws what `admit` and readMultipart throw,
   * media_type_unsupported, argument_repeated, argument_invalid, file_too_large, busy, request_timeout.
   */
  receive<A>(request: IncomingMessage, response: ServerResponse, admit: Admit<A>): Promise<ReceivedForm<A>> {
    return new Reception(request, response, admit, this.options, this.spools).run();
  }
}

/** One upload on its way in. */
class Reception<A> {
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly admit: Admit<A>;
  private readonly options: ReceiverOptions;
  private readonly spools: SpoolRoom;
  private isAdmitted = false;
  private file: ReceivedFile | undefined;
  private arrival: Arrival | undefined;
  private spool: Spool | undefined;
  private taking: Promise<void> = Promise.resolve();

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    admit: Admit<A>,
    options: ReceiverOptions,
    spools: SpoolRoom,
  ) {
    this.request = request;
    this.response = response;
    this.admit = admit;
    this.options = options;
    this.spools = spools;
  }

  async run(): Promise<ReceivedForm<A>> {
    try {
      const { body, sender } = await this.read();
      return { body, sender, file: this.file };
    } catch (error) {
      await this.file?.staged.discard();
      throw error;
    }
  }

  private async read(): Promise<{ body: Body; sender: A }> {
    const { request, response } = this;
    const contentType = request.headers["content-type"] ?? "";
    const ending = new AbortController();
    // On the response: a request that is complete is not asked any more, and Node cuts a connection that nobody speaks for.
    response.setTimeout(this.options.idleMs, () => {
      if (!request.complete) ending.abort(problem("request_timeout"));
    });
    try {
      refuseCharset(contentType);
      await this.admitBy(emptyBody);
      if (!this.isAdmitted) this.arrival = this.watch((failure) => ending.abort(failure));
      const body = formBody(await readMultipart(request, contentType, this.onFile, ending.signal));
      // Once more over all fields: a token behind the file may differ from the one before it.
      const sender = (await this.admit(body, true)) as A;
      return { body, sender };
    } finally {
      response.setTimeout(0);
      this.arrival?.stop();
      // What ended the form may have come while the last bytes were on their way to the disk.
      await this.taking.catch(() => undefined);
      this.spool?.leave();
    }
  }

  private readonly onFile: OnFile = (part, before) => {
    this.taking = this.take(part, before);
    return this.taking;
  };

  private async take(part: FilePart, before: readonly Field[]): Promise<void> {
    const { options } = this;
    // A browser's file field in which nothing was chosen.
    if (part.filename === "") return void part.bytes.resume();
    refuseOtherParts(part, this.file);
    await this.admitBy(formBody(before));
    if (this.arrival && !this.isAdmitted) this.spool = await this.spools.enter(this.arrival);
    const bytes = this.spool ? this.spool.counted(part.bytes) : part.bytes;
    this.file = { filename: part.filename, staged: await options.blobs.stage(bytes, options.maxUploadBytes) };
  }

  private async admitBy(fields: Body): Promise<void> {
    const sender = this.admit(fields, false);
    if (sender === undefined) return;
    await sender;
    this.isAdmitted = true;
    this.arrival?.stop();
  }

  private watch(abort: (failure: Problem) => void): Arrival {
    const { leastSpoolBytesPerSecond: leastBytesPerSecond, maxSpoolMs: maxMs, idleMs } = this.options;
    return new Arrival(this.request, { leastBytesPerSecond, maxMs, idleMs }, abort);
  }
}

function refuseOtherParts({ name }: FilePart, file: ReceivedFile | undefined): void {
  if (name !== "file") throw problem("argument_invalid", { argument: name, received: "a file", accepted: "a text" });
  if (file) throw problem("argument_repeated", { argument: "file" });
}

export const isMultipart = (contentType: string | undefined): boolean =>
  /^multipart\/form-data *(;|$)/i.test(contentType ?? "");
