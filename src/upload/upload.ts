import type { BlobLedger, BlobStore, StagedBlob } from "../core/bytes/blob.ts";
import { acceptedType, type ImageFacts, type Inspection, isRasterImage } from "../core/bytes/media-type.ts";
import type { WriteContext } from "../core/event.ts";
import type { Path } from "../core/path.ts";
import type { ConflictRule, File, FileInput, FileStore } from "../file/file.ts";
import { sentNameOf, uploadName } from "../file/name.ts";
import { problem } from "../image/problems.ts";

/** The arguments of an upload. `fileName` is the client's file name. */
export type UploadRequest = {
  folder: Path;
  fileName: string;
  title: string | undefined;
  description: string | undefined;
} & ConflictRule &
  Pick<FileInput, "sentName" | "givenName" | "meta" | "uploadedAt">;

/** The rules of uploads, from the settings. */
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
 * Creates a file from staged bytes: the blob's row, its bytes, the file's row, in this order, so that no row refers to
 * missing bytes whenever it stops. The caller discards the staged bytes. Throws file_type_refused, image_too_large,
 * image_unreadable and what FileStore.put throws. Contract §5; decision 4.
 */
export async function uploadFile(
  stores: UploadStores,
  staged: StagedBlob,
  request: UploadRequest,
  rules: UploadRules,
  context: WriteContext,
): Promise<File> {
  const { fileName, ...fields } = request;
  const name = await uploadName(fileName, rules.hasSafeNames);
  return uploadNamed(stores, staged, name, { ...fields, sentName: sentNameOf(fileName) }, rules, context);
}

/** Like uploadFile, under exactly this name, which the caller has validated. */
export async function uploadNamed(
  stores: UploadStores,
  staged: StagedBlob,
  name: string,
  request: Omit<UploadRequest, "fileName">,
  rules: UploadRules,
  context: WriteContext,
): Promise<File> {
  const accepted = await acceptedBytes(staged, name, rules);
  const { hash, size } = staged;
  const { folder, ...fields } = request;
  return storeFile(stores, staged, folder, { ...fields, ...accepted, name, hash, size }, context);
}

/** The type of an upload of this name. Throws file_type_refused, image_too_large, image_unreadable. */
export async function acceptedBytes(
  staged: StagedBlob,
  name: string,
  rules: UploadRules,
): Promise<Pick<FileInput, "type" | "image">> {
  const inspection = await staged.inspect();
  const type = acceptedType(name, inspection, rules.extensions);
  return { type, image: acceptedImage(type, inspection, rules) };
}

async function storeFile(
  { files, blobs, ledger }: UploadStores,
  staged: StagedBlob,
  folder: Path,
  input: Omit<FileInput, "generation">,
  context: WriteContext,
): Promise<File> {
  const { hash, size } = staged;
  const keep = () => ledger.keep(hash, size, context.nowSeconds);
  let kept = await keep();
  try {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await blobs.put(staged);
      const file = await files.put(folder, { ...input, generation: kept.generation }, context);
      if (file) return file;
      // Swept meanwhile: the bytes may have no row. With a new one they are put again, or dropped below.
      kept = await keep();
    }
    throw problem("busy", { reason: "the bytes were swept away again and again" });
  } catch (error) {
    // The bytes of a refused upload are not kept for the grace period; if even this fails, the sweep removes them.
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
