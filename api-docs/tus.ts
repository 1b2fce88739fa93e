import type { Code } from "../src/core/problem.ts";
import { fileObject } from "../src/file/wire.ts";
import { accessTokenName, tokenName } from "./example.ts";
import type { Describing } from "./openapi-operation.ts";
import { refusalResponses } from "./openapi-problem.ts";
import { operationTag } from "./tag.ts";

/**
 * The operations of the tus protocol in the description. Its arguments are headers and its bodies bytes, so its routes are
 * not in the table of those that have examples; the guide to uploads has them.
 */

type Node = Record<string, unknown>;

const url = "/api/uploads";
/** The addresses of the operations, for their tag. */
export const tusUrls = [url];

const header = (name: string, description: string, required = false) => ({
  ...{ name, in: "header", required, description },
  schema: { type: "string" },
});
const version = header("Tus-Resumable", "The version of the protocol: `1.0.0`.", true);
const checksum = header("Upload-Checksum", "`sha256` and the hash of the body in base64: other bytes are not kept.");
const id = {
  ...{ name: "path", in: "path", required: true, schema: { type: "string" } },
  description: "The id of the upload, as `Location` named it.",
};

const replied = (description: string) => ({ description, schema: { type: "string" } });
const progress = {
  "Tus-Resumable": replied("`1.0.0`."),
  "Upload-Offset": replied("How many bytes are durable."),
  "Upload-Expires": replied("Until when the upload can go on, an HTTP date."),
  "Octavo-File": replied("The path of the file that it became, percent-encoded; absent until it is one."),
};
const location = { Location: replied("The address of the upload, relative to that of the request.") };

const bytes = {
  required: false,
  content: {
    "application/offset+octet-stream": {
      schema: { type: "string", format: "binary", description: "Bytes of the file from `Upload-Offset` on." },
    },
  },
};

const every = ["token_missing", "token_invalid", "token_ambiguous", "scope_missing", "call_limit_reached"] as const;
const written = [
  "access_token_missing",
  "access_token_invalid",
  "busy",
  "storage_full",
  "tus_version_unsupported",
] as const;
const sent = [
  ...(["argument_missing", "argument_invalid", "media_type_unsupported", "checksum_unsupported"] as const),
  ...(["checksum_mismatch", "upload_too_long", "request_timeout", "file_exists", "folder_exists"] as const),
  ...(["file_type_refused", "image_too_large", "image_unreadable", "data_too_large", "folder_not_found"] as const),
] as const;
const named = ["upload_not_found", "upload_locked"] as const;

const codes = {
  post: [...every, ...written, ...sent, "path_invalid", "argument_repeated", "file_too_large", "too_many_uploads"],
  patch: [...every, ...written, ...sent, ...named, "upload_offset_mismatch"],
  get: [...every, "upload_not_found", "upload_unfinished", "file_not_found"],
  delete: [...every, ...written, ...named],
} as const satisfies Record<string, readonly Code[]>;

/** All problems of the operations. */
export const tusCodes: readonly Code[] = Object.values(codes).flat();

const bearer = `-H "Authorization: Bearer $${tokenName.management}"`;
const both = `${bearer} -H "X-Access-Token: $${accessTokenName}" -H 'Tus-Resumable: 1.0.0'`;
const onePatch = "-H 'Upload-Offset: 0' -H 'Content-Type: application/offset+octet-stream' --data-binary @note.txt";
const sample = (label: string, source: string) => ({ "x-codeSamples": [{ lang: "Shell", label, source }] });

const writes = [{ bearer: [], access_token: [] }];

/** The paths of the operations. */
export const tusPaths = ({ schemas, base }: Describing): Record<string, Node> => ({
  [url]: {
    post: {
      ...{ operationId: "postUploads", tags: [operationTag(url)], security: writes },
      ...sample(
        "A text of 6 bytes",
        `curl -i -X POST '${base}${url}' ${both} -H 'Upload-Length: 6' -H 'Upload-Metadata: filename bm90ZS50eHQ='`,
      ),
      summary: "Begin an upload that can be resumed",
      description:
        "`Upload-Metadata` says what the file will be, as in `POST /api/files`: pairs of a key and its value in base64, " +
        "with commas: `folder` (left out: the root), `filename`, `title`, `description`, `on_conflict`. Other keys are " +
        "ignored. The body may have the first bytes. An upload of 0 bytes, or whose bytes all come with it, is a file at once.",
      parameters: [
        version,
        header("Upload-Length", "The number of bytes of the whole file.", true),
        header("Upload-Metadata", "What the file will be.", true),
        checksum,
      ],
      requestBody: bytes,
      responses: {
        201: { description: "It has begun.", headers: { ...progress, ...location } },
        ...refusalResponses(codes.post),
      },
    },
  },
  [`${url}/{path}`]: {
    get: {
      ...{ operationId: "getUploads", tags: [operationTag(url)], security: [{ bearer: [] }, { token: [] }] },
      ...sample("The file", `curl '${base}${url}/ID' ${bearer}`),
      summary: "Fetch the file that an upload became",
      description: "Only the token that began it finds an upload. `HEAD` with `Tus-Resumable` says how far it is.",
      parameters: [id],
      responses: {
        200: {
          description: "The file object.",
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["data"],
                properties: { data: schemas.use(fileObject) },
              },
            },
          },
        },
        ...refusalResponses(codes.get),
      },
    },
    patch: {
      ...{ operationId: "patchUploads", tags: [operationTag(url)], security: writes },
      ...sample("All bytes", `curl -i -X PATCH '${base}${url}/ID' ${both} ${onePatch}`),
      summary: "Go on with an upload",
      description:
        "Appends the body. What has come in is kept when the connection breaks. The last bytes make the file by the rules " +
        "of `POST /api/files`, and the reply names it; an upload that those rules refuse for what its bytes are is removed.",
      parameters: [id, version, header("Upload-Offset", "Where the body begins: as `HEAD` says.", true), checksum],
      requestBody: bytes,
      responses: {
        204: { description: "The bytes are durable.", headers: progress },
        ...refusalResponses(codes.patch),
      },
    },
    delete: {
      ...{ operationId: "deleteUploads", tags: [operationTag(url)], security: writes },
      ...sample("End it", `curl -i -X DELETE '${base}${url}/ID' ${both}`),
      summary: "End an upload and remove its bytes",
      description: "The file that it became stays.",
      parameters: [id, version],
      responses: { 204: { description: "It is gone." }, ...refusalResponses(codes.delete) },
    },
  },
});
