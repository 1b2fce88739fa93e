import { createHash, randomUUID } from "node:crypto";
import { reaches } from "../core/access/access.ts";
import { allowedExtension } from "../core/bytes/media-type.ts";
import { manages, stages } from "../core/http/auth.ts";
import { sendsBytes } from "../core/http/body.ts";
import type { Call } from "../core/http/call.ts";
import { doorWith } from "../core/http/door.ts";
import { type Answer, json, noContent } from "../core/http/reply.ts";
import { type ArgumentsOf, type Route, route, writerOf } from "../core/http/route.ts";
import { type IdempotencyStore, KeptUnit } from "../core/idempotency.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { encodePath, rootPath } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import { type ConflictPolicy, conflictRule, type File } from "../file/file.ts";
import { uploadOptions } from "../file/member-wire.ts";
import { uploadName } from "../file/name.ts";
import { fileArguments, folderOrRoot, storeUpload, uploadAnswer } from "../file/routes.ts";
import { type AddressOptions, addressOf } from "../file/uploads-address-wire.ts";
import { fileObject } from "../file/wire.ts";
import type { UploadRules, UploadStores } from "../upload/upload.ts";
import { problem } from "./problems.ts";
import type { Owner, Transfer, TransferBytes, TransferStore, Writer } from "./transfer.ts";
import {
  readChecksum,
  readLength,
  readOffset,
  refuseOtherType,
  refuseVersion,
  tusHeaders,
  tusOptions,
  UploadBody,
} from "./tus-wire.ts";

type Stores = UploadStores & {
  transfers: TransferStore;
  transferBytes: TransferBytes;
  idempotency: IdempotencyStore;
};

export type TransferOptions = Pick<AddressOptions, "root" | "publicUrl"> & {
  rules: UploadRules;
  onConflict: ConflictPolicy;
  maxBytes: number;
  keepSeconds: number;
};

const beginArguments = {
  folder: folderOrRoot,
  filename: Type.String({ description: "The file's name with its extension." }),
  ...fileArguments,
};

/** /api/uploads: uploads that go on after an interruption, as the tus protocol 1.0 has them. Contract, part three, §16. */
export function transferRoutes(stores: Stores, options: TransferOptions): Route[] {
  const uploads = new Uploads(stores, options);
  const door = doorWith({ headers: tusHeaders, optionsHeaders: tusOptions(options.maxBytes) });
  const write = { door, need: stages("files"), body: "bytes" } as const;
  const one = "/api/uploads/*";
  const named = ["upload_not_found", "upload_locked", "tus_version_unsupported"] as const;
  const sent = [
    "media_type_unsupported",
    "checksum_unsupported",
    "checksum_mismatch",
    "upload_too_long",
    "request_timeout",
    "file_exists",
    "folder_exists",
    "file_type_refused",
    "image_too_large",
    "image_unreadable",
    "data_too_large",
    "path_invalid",
    "folder_not_found",
    "idempotency_in_flight",
  ] as const;
  return [
    route({
      ...write,
      method: "POST",
      url: "/api/uploads",
      summary: "Begin an upload that can be resumed",
      arguments: beginArguments,
      problems: [...sent, "tus_version_unsupported", "file_too_large", "too_many_uploads", "argument_repeated"],
      handle: (call, args) => uploads.begin(call, args),
    }),
    route({
      door,
      method: "GET",
      url: one,
      summary: "Fetch the file that an upload became; with HEAD, how far it is",
      need: manages("files"),
      arguments: { options: uploadOptions },
      reply: fileObject,
      replyForm: { headers: ["Octavo-File"] },
      problems: ["upload_not_found", "upload_unfinished", "file_not_found", "host_invalid", "tus_version_unsupported"],
      handle: (call, args) => uploads.read(call, args),
    }),
    route({
      ...write,
      method: "PATCH",
      url: one,
      summary: "Go on with an upload",
      arguments: {},
      problems: [...named, ...sent, "upload_offset_mismatch"],
      handle: (call) => uploads.append(call),
    }),
    route({
      ...write,
      method: "DELETE",
      url: one,
      summary: "End an upload and remove its bytes",
      arguments: {},
      problems: [...named],
      handle: (call) => uploads.end(call),
    }),
  ];
}

/** What a request that appends to an upload says of itself, at the time of the call. */
type Holding = () => Writer;

class Uploads {
  private readonly stores: Stores;
  private readonly options: TransferOptions;

  constructor(stores: Stores, options: TransferOptions) {
    this.stores = stores;
    this.options = options;
  }

  async begin(call: Call, args: ArgumentsOf<typeof beginArguments>): Promise<Answer> {
    const { headers, url } = call;
    const { rules, maxBytes } = this.options;
    refuseVersion(headers);
    const length = readLength(headers, maxBytes);
    if (sendsBytes(headers)) refuseOtherType(headers);
    readChecksum(headers);
    if (sentBytes(call) > length) throw problem("upload_too_long", { length });
    const { folder = rootPath, filename: fileName, title, description, onConflict } = args;
    // What its end would refuse, before gigabytes are sent in vain.
    if (!reaches(call.access, folder)) throw problem("folder_not_found", { argument: "folder", path: folder });
    allowedExtension("filename", await uploadName(fileName, rules.hasSafeNames), rules.extensions);
    const { transfers, transferBytes } = this.stores;
    if (length > 0) await transferBytes.refuseFull(length, await transfers.missingBytes());
    const rule = conflictRule(onConflict, this.options.onConflict);
    const request = { folder, fileName, title, description, ...rule };
    const sent = { id: randomUUID(), request, metadata: String(headers["upload-metadata"] ?? ""), length };
    const begun = await transfers.create(sent, this.sinceSeconds(), writerOf(call));
    const upload = sendsBytes(headers) || length === 0 ? await this.receiveFirst(call, begun) : begun;
    // Relative to the address of the request, whatever a proxy has before it.
    const isFolder = url.split("?", 1)[0]?.endsWith("/");
    return { ...this.progress(upload, ["Location", `${isFolder ? "" : "uploads/"}${begun.id}`]), status: 201 };
  }

  async read(call: Call, asked: { options?: JsonObject }): Promise<Answer> {
    const isHead = call.method === "HEAD";
    if (isHead) refuseVersion(call.headers);
    const upload = await this.stores.transfers.get(idOf(call), this.ownerOf(call));
    const { file: path, offset, length, metadata } = upload;
    if (isHead) {
      const more = ["Upload-Length", String(length), ...(metadata === "" ? [] : ["Upload-Metadata", metadata])];
      return json("", { ...this.progress(upload, more), status: 200, cacheControl: "no-store" });
    }
    if (path === undefined) throw problem("upload_unfinished", { offset, length });
    const file = reaches(call.access, path) ? await this.stores.files.find(path, "management") : undefined;
    if (!file) throw problem("file_not_found", { argument: "path", path });
    return uploadAnswer(file, addressOf(call, this.options), asked, "no-store");
  }

  async append(call: Call): Promise<Answer> {
    const { headers } = call;
    refuseVersion(headers);
    refuseOtherType(headers);
    const received = readOffset(headers);
    readChecksum(headers);
    const upload = await this.hold(call, idOf(call), async ({ offset, length, ...more }, holding) => {
      if (received !== offset) throw problem("upload_offset_mismatch", { received, offset });
      return this.receive(call, { offset, length, ...more }, holding);
    });
    return this.progress(upload);
  }

  async end(call: Call): Promise<Answer> {
    refuseVersion(call.headers);
    await this.hold(call, idOf(call), (_upload, holding) => this.remove(holding));
    return noContent;
  }

  /** Does the work while no other request appends to the upload. Throws upload_not_found, upload_locked. */
  private async hold<T>(call: Call, id: string, work: (upload: Transfer, holding: Holding) => Promise<T>): Promise<T> {
    const { transfers } = this.stores;
    const writer = randomUUID();
    const holding = () => ({ id, writer, nowSeconds: nowSeconds() });
    const upload = await transfers.hold(holding(), this.ownerOf(call));
    try {
      return await work(upload, holding);
    } finally {
      // Otherwise its time ends in a few seconds.
      await transfers.release(holding()).catch(() => undefined);
    }
  }

  /** The bytes that came with the beginning. The client of one that fails has no address of it, so nothing stays. */
  private receiveFirst(call: Call, { id }: Transfer): Promise<Transfer> {
    return this.hold(call, id, async (upload, holding) => {
      // A repetition of a request that has got so far.
      if (upload.file !== undefined) await this.refuseOtherBytes(call, upload);
      if (upload.offset > 0 || upload.file !== undefined) return upload;
      try {
        return await this.receive(call, upload, holding);
      } catch (error) {
        // First: the address of an upload that is gone would be no answer to a repetition.
        if (call.unit instanceof KeptUnit) await call.unit.forget();
        await this.remove(holding).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Reads the bytes of a repetition. Throws idempotency_mismatch when they are all of a file, and others than before. */
  private async refuseOtherBytes(call: Call, { id, length }: Transfer): Promise<void> {
    const kept = await this.stores.idempotency.find(call.token?.id as string, keyOf(id), call.nowSeconds);
    const [file] = (kept?.results ?? []) as File[];
    const rules = { limit: length, length, checksum: readChecksum(call.headers), mayGoOn: async () => undefined };
    const body = new UploadBody(call.bytes(), rules);
    const sha256 = createHash("sha256");
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      sha256.update(chunk);
    }
    body.refuse();
    if (file && size === length && sha256.digest("hex") !== file.hash) throw problem("idempotency_mismatch");
  }

  /** Appends the bytes of the call. The last of them makes the file: until it is there, they do not count. */
  private async receive(call: Call, upload: Transfer, holding: Holding): Promise<Transfer> {
    const { transfers, transferBytes } = this.stores;
    const { id, length } = upload;
    const limit = length - upload.offset;
    if (sentBytes(call) > limit) throw problem("upload_too_long", { length });
    const checksum = readChecksum(call.headers);
    let renewedMs = performance.now();
    const save = async (progress: { offset?: number } = {}) => {
      await transfers.save(holding(), progress);
      renewedMs = performance.now();
    };
    const mayGoOn = async () => {
      if (performance.now() - renewedMs > renewMs) await save();
    };
    const body = new UploadBody(call.bytes(), { limit, length, checksum, mayGoOn });
    if (upload.file !== undefined) {
      for await (const _ of body);
      body.refuse();
      return upload;
    }
    let offset = upload.offset;
    await transferBytes.append(id, offset, body, async (durable) => {
      offset = durable;
      if (!checksum && offset < length) await save({ offset });
    });
    body.refuse();
    if (offset < length) {
      if (checksum && offset > upload.offset) await save({ offset });
      return { ...upload, offset, at: nowSeconds() };
    }
    return this.finish(call, upload, holding);
  }

  private async finish(call: Call, upload: Transfer, holding: Holding): Promise<Transfer> {
    const { transfers, transferBytes } = this.stores;
    const { id, length } = upload;
    const renewing = setInterval(() => transfers.save(holding(), {}).catch(() => undefined), renewMs);
    try {
      const { path } = await this.store(call, upload);
      await transfers.save(holding(), { offset: length, file: path });
      await transferBytes.remove(id);
      return { ...upload, offset: length, at: nowSeconds(), file: path };
    } catch (error) {
      // Bytes that no repetition makes good.
      if (error instanceof Problem && hopeless.has(error.kind)) await this.remove(holding);
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  /** The file, made once, also when the service was stopped before it was known that there is one. */
  private async store(call: Call, { id, length, request }: Transfer): Promise<File> {
    const { idempotency, transferBytes, blobs } = this.stores;
    const kept = { token: call.token?.id as string, key: keyOf(id), request: id, nowSeconds: call.nowSeconds };
    const before = await idempotency.find(kept.token, kept.key, kept.nowSeconds);
    const unit = new KeptUnit(idempotency, kept, before);
    const staged = await (length === 0 ? blobs.stage(nothing(), 0) : transferBytes.stage(id, length));
    try {
      return await storeUpload(this.stores, staged, request, this.options.rules, { ...call, unit });
    } finally {
      await staged.discard();
    }
  }

  private async remove(holding: Holding): Promise<void> {
    await this.stores.transfers.remove(holding());
    await this.stores.transferBytes.remove(holding().id);
  }

  private progress({ offset, at, file }: Transfer, more: readonly string[] = []): Answer {
    const expires = new Date((at + this.options.keepSeconds) * 1000).toUTCString();
    const headers = ["Upload-Offset", String(offset), "Upload-Expires", expires, ...more];
    if (file !== undefined) headers.push("Octavo-File", encodePath(file));
    return { ...noContent, headers };
  }

  private ownerOf(call: Call): Owner {
    return { actor: call.token?.id as string, sinceSeconds: this.sinceSeconds() };
  }

  private sinceSeconds(): number {
    return nowSeconds() - this.options.keepSeconds;
  }
}

/** The id in the address; text that no id has never comes to the store. Throws upload_not_found. */
function idOf({ rest: id }: Call): string {
  if (!/^[\da-f-]{36}$/.test(id)) throw problem("upload_not_found", { id });
  return id;
}

/** Under which the making of the file is kept: no client can send such a key. */
const keyOf = (id: string): string => `upload ${id}`;

/** A request that appends says so again after this time. */
const renewMs = 2000;

const hopeless: ReadonlySet<Problem["kind"]> = new Set(["unsupported", "too_large", "unprocessable"]);

/** Now, not when a request began that sends gigabytes. */
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** What the request says it sends; 0 where it does not say. */
const sentBytes = ({ headers }: Call): number => Number(headers["content-length"] ?? 0);

async function* nothing(): AsyncGenerator<Uint8Array> {}
