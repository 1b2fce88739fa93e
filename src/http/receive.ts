import type { IncomingMessage } from "node:http";
import type { BlobStore, StagedBlob } from "../domain/blob.ts";
import { problem } from "../domain/problem.ts";
import { readCredentials } from "./auth.ts";
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
  /** How long nothing may arrive. */
  idleMs: number;
};

/** Takes uploads in: a form with one file part, which goes to the disk while it arrives. Contract §2, §5. */
export class Receiver {
  private readonly options: ReceiverOptions;
  private readonly spools: SpoolRoom;

  constructor(options: ReceiverOptions) {
    this.options = options;
    this.spools = new SpoolRoom(options.maxSpools, options.maxSpoolBytes);
  }

  /**
   * Reads the form into the call: its fields into `body`, its file into `file`, which is the caller's to discard. The
   * caller is let in by `admit` as soon as both tokens are known, before the file's first byte if they came before it.
   * Throws what `admit` throws, media_type_unsupported, argument_repeated, argument_invalid, file_too_large, busy, request_timeout and what
   * readMultipart throws.
   */
  async receive(call: Call, request: IncomingMessage, admit: () => Promise<void>): Promise<void> {
    const { headers } = request;
    const idle = new AbortController();
    request.setTimeout(this.options.idleMs, () => idle.abort(problem("request_timeout")));
    let isAdmitted = false;
    let spool: Spool | undefined;
    let staging: Promise<void> = Promise.resolve();
    const admitOnce = async () => {
      if (!isAdmitted) await admit();
      isAdmitted = true;
    };
    const admitWhenKnown = async () => {
      const { token, accessToken } = readCredentials(call.query, call.body.arguments, headers);
      if (token !== undefined && accessToken !== undefined) await admitOnce();
    };
    const take = async (part: FilePart, before: readonly Field[]) => {
      // A browser's file field in which nothing was chosen.
      if (part.filename === "") return void part.bytes.resume();
      refuseOtherParts(part, call);
      call.body = formBody(before);
      await admitWhenKnown();
      spool = isAdmitted ? undefined : this.spools.enter();
      const bytes = spool ? spool.counted(part.bytes) : part.bytes;
      const staged = await this.options.blobs.stage(bytes, this.options.maxUploadBytes);
      call.file = { filename: part.filename, staged };
    };
    try {
      refuseCharset(headers["content-type"] ?? "");
      await admitWhenKnown();
      const onFile: OnFile = (part, before) => {
        staging = take(part, before);
        return staging;
      };
      call.body = formBody(await readMultipart(request, headers["content-type"] ?? "", onFile, idle.signal));
      // Once more over all that came: a token behind the file may differ from the one before it.
      readCredentials(call.query, call.body.arguments, headers);
      await admitOnce();
    } finally {
      request.setTimeout(0);
      // What ended the form may have come while the last bytes were on their way to the disk.
      await staging.catch(() => undefined);
      spool?.leave();
    }
  }
}

function refuseOtherParts({ name }: FilePart, call: Call): void {
  if (name !== "file") throw problem("argument_invalid", { argument: name, came: "a file", accepted: "a text" });
  if (call.file) throw problem("argument_repeated", { argument: "file" });
}

export const isMultipart = (contentType: string | undefined): boolean =>
  /^multipart\/form-data *(;|$)/i.test(contentType ?? "");
