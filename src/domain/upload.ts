import type { BlobLedger, BlobStore, StagedBlob } from "./blob.ts";
import type { WriteContext } from "./event.ts";
import type { ConflictPolicy, File, FileInput, FileStore } from "./file.ts";
import { uploadName } from "./file-name.ts";
import { acceptedType, type ImageFacts, type Inspection, isRasterImage } from "./media-type.ts";
import type { Path } from "./path.ts";
import { problem } from "./problem.ts";

/** What an upload asks for. `original` is the file's name as the client had it. */
export type UploadRequest = {
  folder: Path;
  original: string;
  onConflict: ConflictPolicy;
  title: string | undefined;
  description: string | undefined;
  ifMatch: string | undefined;
};

/** What the settings say of uploads. */
export type UploadRules = {
  hasSafeNames: boolean;
  /** Accepted extensions, lower case, without dot. */
  extensions: readonly string[];
  maxPixels: number;
  refusesCorruptImages: boolean;
};

export type UploadStores = { files: FileStore; blobs: BlobStore; ledger: BlobLedger };

const maxAttempts = 5;

/**
 * Makes a file of staged bytes: row of the blob, its bytes, row of the file, in this order, so that nothing refers to
 * what is not there whenever it stops. The staged bytes stay the caller's to discard. Throws file_type_refused,
 * image_too_large, image_unreadable and what FileStore.put throws. Contract §5; decision 4.
 */
export async function uploadFile(
  stores: UploadStores,
  staged: StagedBlob,
  request: UploadRequest,
  rules: UploadRules,
  context: WriteContext,
): Promise<File> {
  const name = await uploadName(request.original, rules.hasSafeNames);
  const inspection = await staged.inspect();
  const type = acceptedType(name, inspection, rules.extensions);
  const image = acceptedImage(type, inspection, rules);
  const { hash, size } = staged;
  const { ifMatch, ...asked } = request;
  return storeFile(stores, staged, { ...asked, name, type, hash, size, image }, ifMatch, context);
}

async function storeFile(
  { files, blobs, ledger }: UploadStores,
  staged: StagedBlob,
  input: Omit<FileInput, "generation">,
  ifMatch: string | undefined,
  context: WriteContext,
): Promise<File> {
  const { hash, size } = staged;
  const keep = () => ledger.keep(hash, size, context.nowSeconds);
  let kept = await keep();
  try {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await blobs.put(staged);
      const file = await files.put({ ...input, generation: kept.generation }, ifMatch, context);
      if (file) return file;
      // Swept meanwhile: what was put may have no row. With a new one it is put again, or dropped below.
      kept = await keep();
    }
    throw problem("busy", { reason: "the bytes were swept away again and again" });
  } catch (error) {
    // What a refused upload brought does not stay for the grace; where even this fails, the sweep comes later.
    if (kept.isNew) await ledger.drop(hash, context.nowSeconds).catch(() => undefined);
    throw error;
  }
}

function acceptedImage(type: string, { image }: Inspection, rules: UploadRules): ImageFacts | undefined {
  if (!image) {
    if (rules.refusesCorruptImages && isRasterImage(type)) throw problem("image_unreadable", { argument: "file" });
    return undefined;
  }
  const { width, height } = image;
  if (isRasterImage(type) && width * height > rules.maxPixels) {
    throw problem("image_too_large", { argument: "file", received: `${width} × ${height}`, limit: rules.maxPixels });
  }
  return image;
}
