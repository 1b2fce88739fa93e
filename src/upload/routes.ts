import { reaches } from "../core/access/access.ts";
import { type BlobStore, isBlobHash } from "../core/bytes/blob.ts";
import { isActiveDocument, isInline, isRasterImage } from "../core/bytes/media-type.ts";
import { type Need, reads } from "../core/http/auth.ts";
import type { BytesAnswer } from "../core/http/bytes.ts";
import { type GroupHeaders, grouped } from "../core/http/cache-group.ts";
import type { Call, RequestHead } from "../core/http/call.ts";
import { signedDoor } from "../core/http/door.ts";
import { type Route, route } from "../core/http/route.ts";
import { Type } from "../core/lib/json-schema.ts";
import { after } from "../core/lib/maybe-promise.ts";
import { fileGroup } from "../core/list/cache-group.ts";
import { nameOf, type Path, parsePath, uploadsUrl } from "../core/path.ts";
import { type File, type FileStore, versionOf } from "../file/file.ts";
import { problem } from "../image/problems.ts";
import { imageArgumentIn, isSigned } from "../image/signature.ts";

/** With `isPrivate`, uploads require a token or an address signed with `signingKey`. */
export type UploadOptions = { isPrivate: boolean; signingKey: string; groups: GroupHeaders | undefined };

/** Where later releases of Flextype have the files, so that their links lead to them. Contract §5. */
const otherUploadsUrl = "project/media";

/** GET /project/uploads/… and /project/media/…: the bytes of files, as a web server serves them. Contract §5. */
export function uploadRoutes(files: FileStore, blobs: BlobStore, options: UploadOptions): Route[] {
  const { isPrivate, signingKey, groups } = options;
  const need: Need | undefined = isPrivate ? reads("files") : undefined;
  return [uploadsUrl, otherUploadsUrl].map((url) =>
    route({
      unknown: "handled",
      method: "GET",
      url: `/${url}/*`,
      summary: "Fetch the bytes of a file",
      need,
      door: signedDoor((head) => isSignedPath(head, signingKey) && refuseImageArguments(head)),
      arguments: {
        v: Type.Optional(Type.String({ description: "The file's version." })),
        s: Type.Optional(Type.String({ description: "A signature of the path and the arguments." })),
        expires: Type.Optional(Type.String({ description: "Expiry of the signature, in Unix seconds." })),
      },
      replyForm: { type: "*/*" },
      problems: ["file_not_found", "path_invalid", "precondition_failed", "range_not_satisfiable", "signature_invalid"],
      handle: (call) => {
        const path = pathOf(call);
        return after(files.find(path, "delivery"), (file) => {
          if (!file || !reaches(call.access, path)) throw problem("file_not_found", { argument: "path", path });
          const answer = fileBytes(file, blobs, cacheControl(call, file, isPrivate));
          return grouped(answer, groups, () => [fileGroup(path)]);
        });
      },
    }),
  );
}

/** True when the request's address is signed. Without a signature the path is not parsed: authentication comes first. */
export function isSignedPath(head: RequestHead, key: string): boolean {
  return head.query.has("s") && isSigned(key, pathOf(head), head.query, head.nowSeconds);
}

/** True, or throws signature_invalid: a signature for an image in one size does not grant the file. */
function refuseImageArguments({ query }: RequestHead): true {
  const name = imageArgumentIn(query.keys());
  if (name === undefined) return true;
  throw problem("signature_invalid", { rule: `"${name}" is an argument of an image, and this is the file itself` });
}

/**
 * The path at the end of an address. Generated clients encode path parameters, so an encoded slash is a separator;
 * decoded once, the path is validated as any other. Throws path_invalid. Contract §1, Paths.
 */
export const pathOf = ({ rest }: RequestHead): Path => parsePath("path", rest);

function cacheControl({ query }: Call, file: File, isPrivate: boolean): string {
  const audience = isPrivate ? "private" : "public";
  return query.get("v") === versionOf(file)
    ? `${audience}, max-age=31536000, immutable`
    : `${audience}, max-age=0, must-revalidate`;
}

/** The file's bytes with the headers that keep them harmless in a browser. */
export function fileBytes(file: File, blobs: BlobStore, cacheControl: string): BytesAnswer {
  const { type, hash, size } = file;
  return {
    source: { size, open: (range) => blobs.open(hash, size, range) },
    hasRanges: true,
    contentType: type.startsWith("text/") ? `${type}; charset=utf-8` : type,
    tag: hash.slice(0, 32),
    modifiedAt: file.uploadedAt,
    isDated: true,
    cacheControl,
    headers: [
      "Content-Disposition",
      isInline(type) ? "inline" : attachment(nameOf(file.path)),
      ...(isActiveDocument(type) ? ["Content-Security-Policy", sandbox] : []),
    ],
    // Any other text of the store may be from a hostile backup.
    isOwn: isRasterImage(type) && isBlobHash(hash),
  };
}

/**
 * No script, form, plug-in or external resource, and an origin of its own: an uploaded document cannot act as a page of
 * the service.
 */
export const sandbox = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/** RFC 6266: a plain name for old clients, the real one in RFC 8187's form. */
function attachment(name: string): string {
  const plain = name.replace(/[^ -~]/g, "_").replace(/["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (odd) => `%${odd.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === name ? "" : `; filename*=UTF-8''${encoded}`}`;
}
