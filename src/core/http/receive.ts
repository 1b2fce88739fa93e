import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import type { BlobStore, StagedBlob } from "../bytes/blob.ts";
import { released } from "../lib/released.ts";
import { type Problem, problem } from "../problem.ts";
import { Arrival } from "./arrival.ts";
import { type Body, emptyBody, formBody, hasBody, refuseCharset } from "./body.ts";
import { type Field, type FilePart, type OnFile, readMultipart } from "./multipart.ts";
import { type Spool, SpoolRoom } from "./spool.ts";
import { networkOf } from "./throttle.ts";

/** The file part of a form. */
export type ReceivedFile = { filename: string; staged: StagedBlob };

export type ReceiverOptions = {
  blobs: BlobStore;
  maxUploadBytes: number;
  maxSpools: number;
  maxSpoolBytes: number;
  /** The minimum rate of a sender that is not authenticated yet, and the time limit of its form. */
  leastSpoolBytesPerSecond: number;
  maxSpoolMs: number;
  /** The longest time without any bytes. */
  idleMs: number;
};

/** How far an unauthenticated sender may fall behind before its place goes to another. */
const spoolPatienceMs = 3000;

/** Who sends a form: what its fields say of that, and how that is checked. */
export type FormSender<C, A> = {
  /** The credentials in the fields received so far. Throws for those that contradict each other. */
  credentialsIn(fields: Body): C;
  /** True when the fields that follow cannot change who sends it. */
  isKnownBy(credentials: C): boolean;
  /** Is called once. */
  authenticate(credentials: C, fields: Body): Promise<A>;
};

/** A request and whom it is from. */
type Sending = { request: IncomingMessage; response: ServerResponse; address: string };

/** A complete form: its fields, its file, which the caller must discard, and its sender. */
export type ReceivedForm<A> = { body: Body; file: ReceivedFile | undefined; sender: A };

/** Receives uploads: a form with one file part, which is written to the disk while it is received. Contract §2, §5. */
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
   * Reads the form. Authenticates the sender as soon as both tokens are known, before the file's first byte if they
   * precede it. A refused form leaves no file behind. Throws what `sender` and readMultipart throw,
   * media_type_unsupported, argument_repeated, argument_invalid, file_too_large, busy, request_timeout.
   */
  receive<C, A>({ request, response, address }: Sending, sender: FormSender<C, A>): Promise<ReceivedForm<A>> {
    const enter = (arrival: Arrival) => this.spools.enter(arrival, networkOf(address));
    return new Reception(request, response, sender, this.options, enter).run();
  }
}

/** One upload while it is received. */
class Reception<C, A> {
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly from: FormSender<C, A>;
  private readonly options: ReceiverOptions;
  private readonly enter: (arrival: Arrival) => Promise<Spool>;
  private sender: Promise<A> | undefined;
  private isAdmitted = false;
  private file: ReceivedFile | undefined;
  private arrival: Arrival | undefined;
  private spool: Spool | undefined;
  private taking: Promise<void> = Promise.resolve();

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    from: FormSender<C, A>,
    options: ReceiverOptions,
    enter: (arrival: Arrival) => Promise<Spool>,
  ) {
    this.request = request;
    this.response = response;
    this.from = from;
    this.options = options;
    this.enter = enter;
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
    // On the response: the timeout of a complete request no longer fires, and Node cuts a connection without a listener
    // for it.
    response.setTimeout(this.options.idleMs, () => {
      if (!request.complete) ending.abort(problem("request_timeout"));
    });
    try {
      refuseCharset(contentType);
      await this.admitBy(emptyBody);
      if (!this.isAdmitted) this.arrival = this.watch((failure) => ending.abort(failure));
      const body = formBody(await readMultipart(request, contentType, this.onFile, ending.signal));
      return { body, sender: await this.identify(body, true) };
    } finally {
      response.setTimeout(0);
      this.arrival?.stop();
      // An error may have ended the form while the last bytes were being written to the disk.
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
    // A browser's file field in which no file was chosen.
    if (part.filename === "") return void part.bytes.resume();
    refuseOtherParts(part, this.file);
    await this.admitBy(formBody(before));
    if (this.arrival && !this.isAdmitted) this.spool = await this.enter(this.arrival);
    const chunks = released(part.bytes);
    const bytes = this.spool ? this.spool.counted(chunks) : chunks;
    this.file = { filename: part.filename, staged: await options.blobs.stage(bytes, options.maxUploadBytes) };
  }

  private async admitBy(fields: Body): Promise<void> {
    const sender = this.identify(fields, false);
    if (sender === undefined) return;
    await sender;
    this.isAdmitted = true;
    this.arrival?.stop();
  }

  /** The sender, authenticated once, as soon as the fields say who that is; `areAll`: no more follow. */
  private identify(fields: Body, areAll: true): Promise<A>;
  private identify(fields: Body, areAll: boolean): Promise<A> | undefined;
  private identify(fields: Body, areAll: boolean): Promise<A> | undefined {
    // Also where the sender is known: a token after the file may differ from the one before it.
    const credentials = this.from.credentialsIn(fields);
    if (areAll || this.from.isKnownBy(credentials)) this.sender ??= this.from.authenticate(credentials, fields);
    return this.sender;
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

/**
 * The chunks of a request's body. A chunk is valid until the next is asked for. Throws request_timeout after `idleMs`
 * without any, and request_invalid for a client that disconnects.
 */
export async function* receiveBytes(
  request: IncomingMessage,
  response: ServerResponse,
  idleMs: number,
): AsyncGenerator<Uint8Array> {
  if (!hasBody(request)) return;
  // Through another stream, which can be ended with the connection left open for the refusal.
  const bytes = new PassThrough({ highWaterMark: bufferBytes });
  const end = (failure: Problem) => bytes.destroy(failure);
  const cutOff = () => request.complete || end(problem("request_invalid", { reason: "the connection ended early" }));
  // As in Reception: on the response.
  response.setTimeout(idleMs, () => request.complete || end(problem("request_timeout")));
  request.once("error", cutOff).once("close", cutOff).pipe(bytes);
  try {
    yield* released(bytes);
  } finally {
    response.setTimeout(0);
    request.off("error", cutOff).off("close", cutOff).unpipe(bytes);
    bytes.destroy();
  }
}
const bufferBytes = 256 * 1024;
