import { type Access, reaches } from "../core/access/access.ts";
import type { BlobStore } from "../core/bytes/blob.ts";
import { isRasterImage } from "../core/bytes/media-type.ts";
import { manages } from "../core/http/auth.ts";
import type { BytesAnswer } from "../core/http/bytes.ts";
import { type GroupHeaders, grouped } from "../core/http/cache-group.ts";
import { type Call, isTokenInUrl } from "../core/http/call.ts";
import { signedDoor } from "../core/http/door.ts";
import { type Route, route } from "../core/http/route.ts";
import { readAccept } from "../core/lib/accept.ts";
import { readOrientation } from "../core/lib/exif-orientation.ts";
import { type TProperties, Type } from "../core/lib/json-schema.ts";
import { after, type MaybePromise } from "../core/lib/maybe-promise.ts";
import { Memo } from "../core/lib/memo.ts";
import { isCutPng, pngEndBytes } from "../core/lib/png-end.ts";
import { fileGroup } from "../core/list/cache-group.ts";
import { joinPath, type Path } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import { type File, type FileStore, versionOf } from "../file/file.ts";
import { fileBytes, isSignedPath, pathOf } from "../upload/routes.ts";
import { blobReader } from "./blob-reader.ts";
import { focusedOn } from "./focal.ts";
import {
  formatModifiers,
  type Modifiers,
  modifierRows,
  parseModifiers,
  refuseCropOutside,
  refuseReduced,
} from "./modifier.ts";
import { problem } from "./problems.ts";
import { isPublicAddress, openPresets, withPublicDensity } from "./public.ts";
import type { PublicPictureOptions } from "./public-picture.ts";
import { type RenditionMaker, type RenditionPlan, strangers, sureSize, typeOf } from "./rendition.ts";
import { symmetryOf, turnedSize } from "./symmetry.ts";

export type ImagePorts = { files: FileStore; blobs: BlobStore; maker: RenditionMaker };
export type ImageOptions = Omit<PublicPictureOptions, "areUploadsPublic"> & {
  signingKey: string;
  isStrict: boolean;
  /** The cache lifetime of an image at an address without `v`. */
  maxAgeSeconds: number;
  /** Where watermarks are. */
  markFolder: Path;
  groups: GroupHeaders | undefined;
};

/** Images are never compressed: with Accept-Encoding in Vary, a proxy would keep a copy for each browser. */
const pictureVary = "Authorization, X-Access-Token";
const maxKnownQueries = 5000;
/** The folder where Flextype kept the images of entries: tried where the path itself has no file. Contract §7. */
const entriesFolder = "entries" as Path;

/** GET /api/images/…, and the original's other address of it: any image in any size and format. Contract §7. */
export function imageRoutes(ports: ImagePorts, options: ImageOptions): Route[] {
  const images = new ImageHandlers(ports, options);
  const { publicPresets, signingKey } = options;
  const door = signedDoor(
    (head) => isPublicAddress(head.query, publicPresets) || isSignedPath(head, signingKey),
    manages("files"),
  );
  return ["/api/images/*", "/api/delivery/images/*"].map((url) =>
    route({
      unknown: "handled",
      method: "GET",
      url,
      summary: "Fetch an image, transformed as the arguments say",
      need: { kinds: ["images"], resources: [], writes: "none", open: openPresets(publicPresets) },
      door,
      arguments: imageArguments(),
      replyForm: { type: "image/*" },
      problems: [
        "file_not_found",
        "path_invalid",
        "argument_invalid",
        "signature_invalid",
        "image_unsupported",
        "image_unreadable",
        "image_too_large",
        "image_too_costly",
        "precondition_failed",
        "range_not_satisfiable",
        "busy",
        "storage_full",
      ],
      handle: (call) => images.read(call),
    }),
  );
}

/** The arguments as OpenAPI shows them: texts of any content, since only a strict request refuses invalid ones. */
function imageArguments(): TProperties {
  const text = (description: string, examples: string[] = []) =>
    Type.Optional(Type.String(examples.length > 0 ? { description, examples } : { description }));
  const rows = modifierRows.map(({ name, help, accepted, example }) => [
    name,
    text(`${help} Accepted: ${accepted}.`, example === undefined ? [] : [example]),
  ]);
  return {
    ...Object.fromEntries(rows),
    strict: text("1 refuses invalid arguments and whatever would be left out or reduced.", ["1"]),
    v: text("The file's version: with it the image may be cached forever."),
    s: text("A signature of the path and the arguments."),
    expires: text("Expiry of the signature, in Unix seconds."),
  };
}

/**
 * What a query requests. `turn`: no changes, so the source image is sent, unless it is stored rotated. A query without
 * any argument of the table requests nothing.
 */
type Requested = { modifiers: Modifiers; changes: "nothing" | "turn" | "picture"; ignored?: string[] };

/** Addresses that whoever has the key has signed wait in one line, whoever asks. */
const signedAsker = "signed";

const notFound = (path: Path): Problem => problem("file_not_found", { argument: "path", path });

class ImageHandlers {
  private readonly ports: ImagePorts;
  private readonly options: ImageOptions;
  private readonly queries = new Memo<string, Requested>(maxKnownQueries);

  constructor(ports: ImagePorts, options: ImageOptions) {
    this.ports = ports;
    this.options = options;
  }

  read(call: Call): MaybePromise<BytesAnswer> {
    const path = pathOf(call);
    return isPublicAddress(call.query, this.options.publicPresets)
      ? this.readPublicly(call, path)
      : this.readFound(call, path);
  }

  /**
   * For everybody, whatever tokens are sent along, as a shared cache answers. Who has no token learns of a file that is no
   * picture, or none that can be drawn, as little as of none: so it is drawn before the request's conditions are tested.
   */
  private async readPublicly(call: Call, path: Path): Promise<BytesAnswer> {
    try {
      const answer = await this.readFound(call, path);
      const source = typeof answer.source === "function" ? await answer.source() : answer.source;
      const vary = answer.vary?.endsWith("Accept") ? "Accept" : "";
      return { ...answer, source, vary };
    } catch (error) {
      if (!(error instanceof Problem) || ["busy", "storage", "internal"].includes(error.kind)) throw error;
      throw Object.assign(notFound(path), { cause: error.cause });
    }
  }

  private readFound(call: Call, path: Path): MaybePromise<BytesAnswer> {
    return after(this.find(path, call.access), (file) => {
      // Also without arguments: an images token reads images, not every file.
      if (!isRasterImage(file.type) && file.type !== "image/svg+xml") {
        throw problem("image_unsupported", { argument: "path", received: file.type });
      }
      const requested = this.readRequested(call);
      const { modifiers, ignored } = requested;
      const drawn = this.answer(call, file, requested);
      const answer = ignored ? after(drawn, (it) => ({ ...it, ignored })) : drawn;
      const { groups } = this.options;
      return groups ? after(answer, (it) => grouped(it, groups, () => this.groupsOf(path, file, modifiers))) : answer;
    });
  }

  /** The path itself, where another one is only tried when it has no file, and what was looked for as a watermark. */
  private groupsOf(path: Path, file: File, { mark }: Modifiers): string[] {
    const marks = mark === undefined ? [] : [joinPath(this.options.markFolder, mark.path)];
    return [path, file.path, ...marks].map(fileGroup);
  }

  private answer(call: Call, file: File, { modifiers: asked, changes }: Requested): MaybePromise<BytesAnswer> {
    const modifiers = focusedOn(file, asked);
    const { blobs, maker } = this.ports;
    const isStrict = this.isStrict(call);
    const drawing = { accepted: () => readAccept(call.accept), isStrict };
    const cacheControl = this.cacheControl(call, file, asked);
    const stored = () => ({ ...fileBytes(file, blobs, cacheControl), vary: pictureVary });
    const drawn = () =>
      after(maker.plan(file, modifiers, drawing), (plan) =>
        this.rendition(call, file, plan, cacheControl, modifiers.fm === "auto"),
      );
    if (changes === "nothing") return stored();
    if (changes === "picture" && !isStrict) return drawn();
    return after(readOrientation(file.type, blobReader(blobs, file)), async (orientation) => {
      if (isStrict) this.refuseUnfit(file, modifiers, orientation);
      if (changes === "turn" && orientation === 1) return stored();
      if (isStrict) await this.refuseCut(file);
      return drawn();
    });
  }

  private refuseUnfit(file: File, modifiers: Modifiers, orientation: number): void {
    const size = sureSize(file);
    if (!size) return;
    const upright = turnedSize(size, symmetryOf(modifiers.or, orientation));
    refuseCropOutside(upright, modifiers);
    // The size after trimming is known only when the image is drawn.
    if (modifiers.trim === undefined) refuseReduced(upright, modifiers, this.options.limits);
  }

  /** Here and not where it is drawn: so a whole PNG is the same rendition, strict or not. */
  private async refuseCut(file: File): Promise<void> {
    if (file.type !== "image/png" && file.type !== "image/apng") return;
    const end = await blobReader(this.ports.blobs, file)(Math.max(0, file.size - pngEndBytes), pngEndBytes);
    if (isCutPng(end)) throw problem("image_unreadable", { argument: "path" });
  }

  private isStrict({ query }: Call): boolean {
    return this.options.isStrict || query.get("strict") === "1";
  }

  /** Parses the query. The same queries repeat, so the result is cached. */
  private readRequested(call: Call): Requested {
    const { url } = call;
    // Without the token: the cache holds no secret, and the same query with another token is the same key.
    const text = url.slice(url.indexOf("?") + 1).replace(/(?<=^|&)token=[^&]*&?/, "");
    const { presets, defaults } = this.options;
    return this.queries.get(text, () => {
      const isPublic = isPublicAddress(call.query, this.options.publicPresets);
      const query = isPublic ? withPublicDensity(call.query) : call.query;
      const parsed = parseModifiers(query, { isStrict: this.isStrict(call), defaults, presets });
      const { modifiers } = parsed;
      const hasAny = modifierRows.some(({ name }) => call.query.has(name));
      const changes = formatModifiers(modifiers) !== "" ? "picture" : hasAny ? "turn" : "nothing";
      const isInvalid = (argument: string) => modifierRows.some(({ name }) => name === argument);
      const ignored = parsed.ignored.filter(isInvalid);
      return { modifiers, changes, ...(ignored.length > 0 && { ignored }) };
    });
  }

  private rendition(
    call: Call,
    file: File,
    plan: RenditionPlan,
    cacheControl: string,
    isNegotiated: boolean,
  ): BytesAnswer {
    const { maker } = this.ports;
    const asker = call.token?.id ?? (call.query.has("s") ? signedAsker : strangers);
    return {
      source: () =>
        after(maker.make(plan, asker), (made) => ({ size: made.size, open: () => maker.open(plan, made, asker) })),
      hasRanges: false,
      contentType: typeOf(plan.format),
      tag: plan.key,
      modifiedAt: file.uploadedAt,
      isDated: false,
      cacheControl,
      vary: isNegotiated ? `${pictureVary}, Accept` : pictureVary,
      headers: ["Content-Disposition", "inline"],
      isOwn: true,
    };
  }

  private find(path: Path, access: Access): MaybePromise<File> {
    const { files } = this.ports;
    const findReached = (at: Path) => (reaches(access, at) ? files.find(at, "delivery") : undefined);
    const found = after(findReached(path), (file) => file ?? findReached(joinPath(entriesFolder, path)));
    return after(found, (file) => {
      if (!file) throw notFound(path);
      return file;
    });
  }

  /**
   * `v` of this file's bytes is cached forever; another `v` is from a page that has not been rebuilt yet. Contract
   * §7. It says nothing of the focal point, which is a field of the file: §17.
   */
  private cacheControl(call: Call, file: File, { fit }: Modifiers): string {
    const { query, token, nowSeconds } = call;
    const v = fit.kind === "focal" ? undefined : query.get("v");
    const isCurrent = v === versionOf(file);
    const usual = isCurrent ? 31_536_000 : v === undefined ? this.options.maxAgeSeconds : 60;
    // Without a token the signature was checked: only then does `expires` limit anything.
    const expires = token ? undefined : query.get("expires");
    const left = typeof expires === "string" ? Math.max(0, Number(expires) - nowSeconds) : usual;
    const audience = token && !isTokenInUrl(call) ? "private" : "public";
    return `${audience}, max-age=${Math.min(usual, left)}${isCurrent && left >= usual ? ", immutable" : ""}`;
  }
}
