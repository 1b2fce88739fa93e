import { type Access, reaches, readerOf } from "../core/access/access.ts";
import type { BlobStore } from "../core/bytes/blob.ts";
import { isDrawn } from "../core/bytes/media-type.ts";
import { readOrientation } from "../core/lib/exif-orientation.ts";
import { Memo } from "../core/lib/memo.ts";
import { encodePath, type Path } from "../core/path.ts";
import { type File, type FileStore, versionOf } from "../file/file.ts";
import { blobReader } from "./blob-reader.ts";
import { focusedOn } from "./focal.ts";
import { type OutputLimits, planBorder, planSize, type Size } from "./geometry.ts";
import { type Arguments, type Modifiers, parseModifiers } from "./modifier.ts";
import { sureSize } from "./rendition.ts";
import { symmetryOf, turnedSize } from "./symmetry.ts";

/** Pictures of the store as a page shows them by a public preset. Contract §10, Rendering. */

export type PublicPictureOptions = {
  defaults: Arguments;
  presets: ReadonlyMap<string, Arguments>;
  /** The presets that need no token. */
  publicPresets: ReadonlySet<string>;
  limits: OutputLimits;
  /** False where downloads need a token or a signature. */
  areUploadsPublic: boolean;
};

/** Who sees the page: `seesFiles` where the token has the resource. */
export type PictureReader = { access: Access; seesFiles: boolean };

/** The addresses of a picture in one and two pixels for each of the page's, and its size where it is known. */
export type PublicPicture = { src: string; twice: string; size: Size | undefined };

const maxKnownSizes = 5000;
/** Reads of headers at once. */
const atOnce = 8;

export class PublicPictures {
  private readonly stores: { files: FileStore; blobs: BlobStore };
  private readonly options: PublicPictureOptions;
  private readonly sizes = new Memo<string, Promise<Size | undefined>>(maxKnownSizes);

  constructor(stores: { files: FileStore; blobs: BlobStore }, options: PublicPictureOptions) {
    this.stores = stores;
    this.options = options;
  }

  get presets(): ReadonlySet<string> {
    return this.options.publicPresets;
  }

  /** Whether this reader may learn of the file at the path. */
  isSeen(path: Path, { access, seesFiles }: PictureReader): boolean {
    return this.options.areUploadsPublic || (seesFiles && reaches(access, path));
  }

  /**
   * Those that the preset can draw, by path. Of a file that the reader may not read no more is said than the address: it may
   * not exist.
   */
  async find(
    paths: readonly Path[],
    preset: string,
    base: string,
    reader: PictureReader,
  ): Promise<Map<Path, PublicPicture>> {
    const seen = paths.filter((path) => this.isSeen(path, reader));
    const pictures = new Map<Path, PublicPicture>();
    for (const path of paths) if (!seen.includes(path)) pictures.set(path, addressed(path, preset, base));
    const files = seen.length > 0 ? await this.stores.files.findAll(seen, readerOf(reader.access)) : [];
    const drawn = files.filter((file) => file !== undefined && isDrawn(file.type)) as File[];
    for (let at = 0; at < drawn.length; at += atOnce) {
      const some = drawn.slice(at, at + atOnce);
      const sizes = await Promise.all(some.map((file) => this.sizeOf(file, preset)));
      for (const [i, file] of some.entries()) {
        const picture = addressed(file.path, preset, base, `&v=${versionOf(file)}`);
        pictures.set(file.path, { ...picture, size: sizes[i] });
      }
    }
    return pictures;
  }

  /** As it is delivered, upright; undefined where only drawing it shows that. */
  private sizeOf(file: File, preset: string): Promise<Size | undefined> {
    return this.sizes.get(`${file.hash} ${file.type} ${preset}`, () =>
      // Without its bytes a picture has no size, and the page still is one.
      this.measure(file, preset).catch(() => undefined),
    );
  }

  private async measure(file: File, preset: string): Promise<Size | undefined> {
    const stored = sureSize(file);
    const { defaults, presets, limits } = this.options;
    const asked: Arguments = new Map([
      ["p", preset],
      ["dpr", "1"],
    ]);
    const modifiers = focusedOn(file, parseModifiers(asked, { isStrict: false, defaults, presets }).modifiers);
    if (!stored || modifiers.trim !== undefined) return undefined;
    const orientation = await readOrientation(file.type, blobReader(this.stores.blobs, file));
    return drawnSize(turnedSize(stored, symmetryOf(modifiers.or, orientation)), modifiers, limits);
  }
}

function drawnSize(upright: Size, modifiers: Modifiers, limits: OutputLimits): Size {
  const { border, dpr } = modifiers;
  const drawn = planSize(upright, modifiers, limits);
  const { width, height } = (border && planBorder(drawn, border, dpr, limits)) ?? drawn;
  return { width, height };
}

function addressed(path: Path, preset: string, base: string, version = ""): PublicPicture {
  const src = `${base}/api/images/${encodePath(path)}?p=${preset}`;
  return { src: src + version, twice: `${src}&dpr=2${version}`, size: undefined };
}
