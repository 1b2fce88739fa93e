import { type TProperties, Type } from "typebox";
import type { BlobStore } from "../domain/blob.ts";
import { type File, type FileStore, versionOf } from "../domain/file.ts";
import { isRasterImage } from "../domain/media-type.ts";
import { type Arguments, formatModifiers, type Modifiers, modifierRows, parseModifiers } from "../domain/modifier.ts";
import { joinPath, type Path } from "../domain/path.ts";
import { problem } from "../domain/problem.ts";
import { type RenditionMaker, type RenditionPlan, typeOf } from "../domain/rendition.ts";
import { after, type Later } from "../lib/later.ts";
import { Memo } from "../lib/memo.ts";
import { manages } from "./auth.ts";
import type { BytesAnswer } from "./bytes.ts";
import { imageExamples, imageRefused } from "./image-example.ts";
import type { ApiRoute, Call } from "./route.ts";
import { fileBytes, isSignedBelow, pathBelow } from "./upload.ts";

export type ImagePorts = { files: FileStore; blobs: BlobStore; maker: RenditionMaker };
export type ImageOptions = {
  signingKey: string;
  isStrict: boolean;
  defaults: Arguments;
  presets: ReadonlyMap<string, Arguments>;
  /** How long an image may be kept by an address without `v`. */
  maxAgeSeconds: number;
};

const prefix = "/api/images/";
const maxKnownQueries = 5000;
/** Where the original kept the pictures of its entries: tried where the path itself has nothing. Contract §7. */
const entriesFolder = "entries" as Path;

/** GET /api/images/…: any picture in any shape. Spec, Images; contract §7. */
export function imageRoutes(ports: ImagePorts, options: ImageOptions): ApiRoute[] {
  const images = new ImageHandlers(ports, options);
  return [
    {
      method: "GET",
      url: `${prefix}*`,
      summary: "Fetch an image, in the shape the arguments ask for",
      examples: imageExamples,
      refused: imageRefused,
      description:
        "Without arguments the original bytes. An argument that cannot be read is ignored, as in the original, unless " +
        "`strict=1` asks for a refusal. A signature `s` opens it in place of a token.",
      need: { kinds: ["images"], resource: undefined, isWrite: false },
      sessionNeed: manages("files"),
      isSigned: (call) => isSignedBelow(prefix, call, options.signingKey),
      arguments: imageArguments(),
      replyType: "image/*",
      problems: [
        ...(["file_not_found", "path_invalid", "argument_invalid", "signature_invalid"] as const),
        ...(["image_unsupported", "image_unreadable", "image_too_large", "image_too_costly"] as const),
        ...(["precondition_failed", "range_not_satisfiable", "busy"] as const),
      ],
      handle: (call) => images.read(call),
    },
  ];
}

/** The arguments as OpenAPI shows them: texts, whatever they mean, since nothing but a strict request refuses any. */
function imageArguments(): TProperties {
  const text = (description: string, examples: string[] = []) =>
    Type.Optional(Type.String(examples.length > 0 ? { description, examples } : { description }));
  const rows = modifierRows.map(({ name, help, accepted, example }) => [
    name,
    text(`${help} Accepted: ${accepted}.`, example === undefined ? [] : [example]),
  ]);
  return {
    ...Object.fromEntries(rows),
    strict: text("1 to refuse arguments that would be ignored.", ["1"]),
    v: text("The file's version: with it the image may be kept for ever."),
    s: text("A signature of the path and the arguments."),
    expires: text("Unix seconds until which the signature holds."),
  };
}

class ImageHandlers {
  private readonly ports: ImagePorts;
  private readonly options: ImageOptions;
  private readonly queries = new Memo<string, { modifiers: Modifiers | undefined }>(maxKnownQueries);

  constructor(ports: ImagePorts, options: ImageOptions) {
    this.ports = ports;
    this.options = options;
  }

  read(call: Call): Later<BytesAnswer> {
    return after(this.find(pathBelow(prefix, call.url)), (file) => this.answer(call, file));
  }

  private answer(call: Call, file: File): Later<BytesAnswer> {
    // Also without arguments: a token of images opens images, not every file.
    if (!isRasterImage(file.type) && file.type !== "image/svg+xml") {
      throw problem("image_unsupported", { argument: "path", came: file.type });
    }
    const modifiers = this.modifiersOf(call);
    const cacheControl = this.cacheControl(call, file);
    if (modifiers === undefined) return fileBytes(file, this.ports.blobs, cacheControl);
    const wish = { accept: call.accept, isStrict: this.isStrict(call) };
    const isNegotiated = modifiers.fm === "auto";
    const planned = this.ports.maker.plan(file, modifiers, wish);
    return after(planned, (plan) => this.rendition(file, plan, cacheControl, isNegotiated));
  }

  private isStrict({ query }: Call): boolean {
    return this.options.isStrict || query.get("strict") === "1";
  }

  /** What the query asks for; undefined when that is nothing. The same queries come again and again. */
  private modifiersOf(call: Call): Modifiers | undefined {
    const { url } = call;
    // Without its token: a secret is not kept, and does not make the same wish another one.
    const text = url.slice(url.indexOf("?") + 1).replace(/(?<=^|&)token=[^&]*&?/, "");
    const { presets, defaults } = this.options;
    return this.queries.get(text, () => {
      const { modifiers } = parseModifiers(call.query, { isStrict: this.isStrict(call), defaults, presets });
      return { modifiers: formatModifiers(modifiers) === "" ? undefined : modifiers };
    }).modifiers;
  }

  private rendition(file: File, plan: RenditionPlan, cacheControl: string, isNegotiated: boolean): BytesAnswer {
    const { maker } = this.ports;
    return {
      source: () => after(maker.make(plan), (made) => ({ size: made.size, open: () => maker.open(plan, made) })),
      hasRanges: false,
      contentType: typeOf(plan.format),
      tag: plan.key,
      modifiedAt: file.uploadedAt,
      cacheControl,
      headers: ["Content-Disposition", "inline", ...(isNegotiated ? ["Vary", "Accept"] : [])],
    };
  }

  private find(path: Path): Later<File> {
    const { files } = this.ports;
    const found = after(files.find(path), (file) => file ?? files.find(joinPath(entriesFolder, path)));
    return after(found, (file) => {
      if (!file) throw problem("file_not_found", { argument: "path", path });
      return file;
    });
  }

  /** `v` of this very file is for ever; another one is a page that has not been made anew yet. Contract §7. */
  private cacheControl({ query, token, isTokenInUrl, nowSeconds }: Call, file: File): string {
    const v = query.get("v");
    const isCurrent = v === versionOf(file);
    const wished = isCurrent ? 31_536_000 : v === undefined ? this.options.maxAgeSeconds : 60;
    // A signature was checked where there is no token: only then does `expires` bound anything.
    const expires = token ? undefined : query.get("expires");
    const left = typeof expires === "string" ? Math.max(0, Number(expires) - nowSeconds) : wished;
    const audience = token && !isTokenInUrl ? "private" : "public";
    return `${audience}, max-age=${Math.min(wished, left)}${isCurrent && left >= wished ? ", immutable" : ""}`;
  }
}
