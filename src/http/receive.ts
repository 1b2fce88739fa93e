import type { IncomingMessage, ServerResponse } from "node:http";
import type { BlobStore, StagedBlob } from "../domain/blob.ts";
import { type Problem, problem } from "../domain/problem.ts";
import { Arrival } from "./arrival.ts";
import type { Credentials } from "./auth.ts";
import { formBody, refuseCharset } from "./body.ts";
import { type Field, type FilePart, type OnFile, readMultipart } from "./multipart.ts";
import type { Call } from "./route.ts";
import { type Spool, SpoolRoom } from "./spool.ts";

/** What came as the form's `file`. */
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

/** Who decides whether a caller is let in. */
export type Gate = {
  /** The tokens that are known by now. */
  credentials(): Credentials;
  admit(): Promise<void>;
};

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
   * Reads the form into the call: its fields into `body`, its file into `file`, which is the caller's to discard. The
   * caller is let in by the gate as soon as both tokens are known, before the file's first byte if they came before it.
   * Throws what the gate and readMultipart throw, media_type_unsupported, argument_repeated, argument_invalid,
   * file_too_large, busy, request_timeout.
   */
  receive(call: Call, request: IncomingMessage, response: ServerResponse, gate: Gate): Promise<void> {
    return new Reception(call, request, response, gate, this.options, this.spools).run();
  }
}

/** One upload on its way in. */
class Reception {
  private readonly call: Call;
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly gate: Gate;
  private readonly options: ReceiverOptions;
  private readonly spools: SpoolRoom;
  private isAdmitted = false;
  private arrival: Arrival | undefined;
  private spool: Spool | undefined;
  private taking: Promise<void> = Promise.resolve();

  constructor(
    call: Call,
    request: IncomingMessage,
    response: ServerResponse,
    gate: Gate,
    options: ReceiverOptions,
    spools: SpoolRoom,
  ) {
    this.call = call;
    this.request = request;
    this.response = response;
    this.gate = gate;
    this.options = options;
    this.spools = spools;
  }

  async run(): Promise<void> {
    const { call, request, response } = this;
    const contentType = request.headers["content-type"] ?? "";
    const ending = new AbortController();
    // On the response: a request that is complete is not asked any more, and Node cuts a connection that nobody speaks for.
    response.setTimeout(this.options.idleMs, () => {
      if (!request.complete) ending.abort(problem("request_timeout"));
    });
    try {
      refuseCharset(contentType);
      await this.admitWhenKnown();
      if (!this.isAdmitted) this.arrival = this.watch((failure) => ending.abort(failure));
      call.body = formBody(await readMultipart(request, contentType, this.onFile, ending.signal));
      // Once more over all that came: a token behind the file may differ from the one before it.
      this.gate.credentials();
      await this.admitOnce();
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
    const { call, options } = this;
    // A browser's file field in which nothing was chosen.
    if (part.filename === "") return void part.bytes.resume();
    refuseOtherParts(part, call);
    call.body = formBody(before);
    await this.admitWhenKnown();
    if (this.arrival && !this.isAdmitted) this.spool = await this.spools.enter(this.arrival);
    const bytes = this.spool ? this.spool.counted(part.bytes) : part.bytes;
    call.file = { filename: part.filename, staged: await options.blobs.stage(bytes, options.maxUploadBytes) };
  }

  private async admitWhenKnown(): Promise<void> {
    const { token, accessToken } = this.gate.credentials();
    if (token !== undefined && accessToken !== undefined) await this.admitOnce();
  }

  private async admitOnce(): Promise<void> {
    if (!this.isAdmitted) await this.gate.admit();
    this.isAdmitted = true;
    this.arrival?.stop();
  }

  private watch(abort: (failure: Problem) => void): Arrival {
    const { leastSpoolBytesPerSecond: leastBytesPerSecond, maxSpoolMs: maxMs, idleMs } = this.options;
    return new Arrival(this.request, { leastBytesPerSecond, maxMs, idleMs }, abort);
  }
}

function refuseOtherParts({ name }: FilePart, call: Call): void {
  if (name !== "file") throw problem("argument_invalid", { argument: name, came: "a file", accepted: "a text" });
  if (call.file) throw problem("argument_repeated", { argument: "file" });
}

export const isMultipart = (contentType: string | undefined): boolean =>
  /^multipart\/form-data *(;|$)/i.test(contentType ?? "");
