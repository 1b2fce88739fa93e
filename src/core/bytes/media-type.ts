import { problem } from "../problem.ts";

/**
 * Which files are accepted, and the type they are stored with: an extension must be allowed and the bytes must match
 * the extension. Contract §5. The names of the signatures are those of the package file-type.
 */

/** Pixel sizes as stored, before the orientation is applied. */
export type ImageFacts = Readonly<{ width: number; height: number; isColor: boolean }>;

/** What was detected in a file's bytes. Plain data. */
export type Inspection = Readonly<{
  /** The media type of the bytes' signature (containers are inspected), or undefined. */
  signature: string | undefined;
  /** NUL-free UTF-8 from the first byte to the last. */
  isText: boolean;
  /** The text formats that the whole text parses as. */
  parsesAs: readonly ("json" | "svg")[];
  image: ImageFacts | undefined;
}>;

/** What an extension requires of the bytes: a raster image, a text, or one of these signatures. */
type Format =
  | { sort: "raster" }
  | { sort: "text"; type: string; parses?: "json" | "svg" }
  | { sort: "signed"; signatures: readonly string[]; storedAs?: string };

const rasterSignatures = new Set([
  ...["image/jpeg", "image/png", "image/apng", "image/gif", "image/webp", "image/avif", "image/x-icon"],
  ...["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"],
]);
const plainTexts = new Set(["text/plain", "text/markdown", "text/csv"]);

const raster: Format = { sort: "raster" };
const text = (type: string, parses?: "json" | "svg"): Format => ({ sort: "text", type, parses });
const signed = (...signatures: string[]): Format => ({ sort: "signed", signatures });
/** The old Office formats share one container, so the extension decides. */
const compound = (type: string): Format => ({ sort: "signed", signatures: ["application/x-cfb"], storedAs: type });

const openXml = (part: string): string => `application/vnd.openxmlformats-officedocument.${part}`;
const [docx, xlsx, pptx] = ["wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"].map(
  openXml,
) as [string, string, string];
const openDocument = ["text", "spreadsheet", "presentation"].map(
  (part) => `application/vnd.oasis.opendocument.${part}`,
);
const iWork = ["pages", "numbers", "keynote"].map((part) => `application/vnd.apple.${part}`);
const zipped = [docx, xlsx, pptx, "application/epub+zip", ...openDocument, ...iWork, "application/java-archive"];
// One container; which brand a file names depends on the program that wrote it, not on its contents.
const isoMedia = signed(
  ...["video/mp4", "video/x-m4v", "video/quicktime", "video/3gpp", "video/3gpp2", "audio/mp4", "audio/x-m4a"],
);
const ogg = signed("audio/ogg", "video/ogg", "application/ogg");
const mpeg = signed("video/mpeg", "video/MP1S", "video/MP2P");
const asf = signed("video/x-ms-asf", "audio/x-ms-asf", "application/vnd.ms-asf");

const rows: [extensions: string, Format][] = [
  ["jpg jpeg png apng gif webp avif heic heif ico", raster],
  ["bmp", signed("image/bmp")],
  ["tif tiff", signed("image/tiff")],
  ["svg", text("image/svg+xml", "svg")],
  ["txt", text("text/plain")],
  ["md markdown", text("text/markdown")],
  ["csv", text("text/csv")],
  ["tsv", text("text/tab-separated-values")],
  ["json", text("application/json", "json")],
  ["html htm", text("text/html")],
  ["xhtml", text("application/xhtml+xml")],
  ["xml", text("application/xml")],
  ["css", text("text/css")],
  ["js mjs", text("text/javascript")],
  ["yaml yml", text("text/yaml")],
  ["vtt", text("text/vtt")],
  ["ics", text("text/calendar")],
  ["vcf", text("text/vcard")],
  ["pdf", signed("application/pdf")],
  ["rtf", signed("application/rtf")],
  ["doc", compound("application/msword")],
  ["xls", compound("application/vnd.ms-excel")],
  ["ppt", compound("application/vnd.ms-powerpoint")],
  ["docx", signed(docx)],
  ["xlsx", signed(xlsx)],
  ["pptx", signed(pptx)],
  ["epub", signed("application/epub+zip")],
  ["odt", signed(openDocument[0] as string)],
  ["ods", signed(openDocument[1] as string)],
  ["odp", signed(openDocument[2] as string)],
  ["zip", signed("application/zip", ...zipped)],
  ["tgz gz", signed("application/gzip")],
  ["tar", signed("application/x-tar")],
  ["7z", signed("application/x-7z-compressed")],
  ["rar", signed("application/x-rar-compressed")],
  ["mp3", signed("audio/mpeg")],
  ["wav", signed("audio/wav")],
  ["flac", signed("audio/flac", "audio/ogg")],
  ["aac", signed("audio/aac")],
  ["ogg oga ogv opus", ogg],
  ["mp4 m4v m4a mov", isoMedia],
  ["mpg mpeg", mpeg],
  ["wmv wma asf", asf],
  ["avi", signed("video/vnd.avi")],
  ["webm", signed("video/webm")],
  ["mkv", signed("video/matroska", "video/webm")],
  ["woff", signed("font/woff")],
  ["woff2", signed("font/woff2")],
  ["ttf", signed("font/ttf")],
  ["otf", signed("font/otf")],
];
const formats = new Map(rows.flatMap(([names, format]) => names.split(" ").map((name) => [name, format])));

/** The extensions a fresh installation accepts. Contract §5. */
export const standardExtensions: readonly string[] = (
  "gif jpg jpeg png ico zip tgz txt md doc docx pdf epub xls xlsx ppt pptx mp3 ogg wav m4a mp4 m4v ogv wmv avi webm " +
  "svg webp avif heic tif tiff csv json"
).split(" ");

/**
 * Signatures of printable letters, with which a text may begin by accident ("BMW", "MZ", "ID3 tags", "FORM 10-K", "The
 * wide road"; a comment gives the letters of the less obvious names), and formats that are text themselves. A real file
 * of the first group holds a NUL or bytes that are not UTF-8, so the text check still refuses it. Not here: formats
 * that may be text throughout and yet open as another type (PDF, GIF, PostScript, RTF).
 */
const accidental = new Set([
  ...["image/bmp", "image/icns", "image/flif", "image/webp", "image/vnd.dwg", "image/vnd.adobe.photoshop"],
  ...["image/x-xcf", "image/x-fujifilm-raf", "model/stl", "font/collection", "application/vnd.iccprofile"],
  ...["audio/mpeg", "audio/x-musepack", "audio/aiff", "audio/midi", "audio/x-dsf", "audio/flac", "audio/wavpack"],
  ...["audio/ape", "audio/amr", "audio/wav", "audio/qcelp", "audio/x-it", "audio/x-xm", "audio/x-s3m", "audio/x-voc"],
  ...["video/quicktime", "video/mp4", "video/vnd.avi", "video/mp2t", "application/ogg", "application/vnd.rn-realmedia"],
  ...["application/x-msdownload", "application/x-shockwave-flash", "application/x-sqlite3", "application/x-blender"],
  ...["application/x-bzip2", "application/lzip", "application/x-cpio", "application/x-lzh-compressed"], // BZh, 070707
  ...["application/x-arj", "application/x-ace-compressed", "application/x-tar", "application/x-unix-archive"], // `가
  ...["application/vnd.ms-cab-compressed", "application/x-google-chrome-extension", "application/vnd.ms-htmlhelp"],
  ...["application/vnd.ms-outlook", "application/vnd.apache.parquet", "application/x-ft-windows-registry-hive"], // PARE
  ...["application/x-spss-sav", "application/x-ft-draco", "application/x-mobipocket-ebook", "application/dicom"],
  ...["application/xml", "application/x-ms-regedit", "application/pgp-encrypted"],
  ...["text/vcard", "text/calendar", "text/vtt"],
]);

/** True when a file with this signature may still be a text, judged by the signature alone. */
export function canBeText(signature: string | undefined): boolean {
  return signature === undefined || accidental.has(signature);
}

/** The part after the last dot, in lower case; "" when there is none. A leading dot does not start an extension. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 1 ? "" : name.slice(dot + 1).toLowerCase();
}

/**
 * The type that an upload is stored with: the type of its bytes, and for a text that of its extension. An extension
 * that only the setting adds accepts any bytes. Throws file_type_refused. Contract §5.
 */
export function acceptedType(name: string, inspection: Inspection, allowed: readonly string[]): string {
  const extension = allowedExtension("file", name, allowed);
  const format = formats.get(extension);
  if (!format) return bytesType(inspection) ?? "application/octet-stream";
  const type = typeUnder(format, inspection);
  if (type) return type;
  const received = `${describeBytes(inspection)} named ${name}`;
  throw problem("file_type_refused", { argument: "file", received, accepted: expectedUnder(extension, format) });
}

/**
 * The type of a stored file under a new name. With the same extension it stays; another extension must be allowed and
 * match the type, and among txt, md and csv the type changes with it. Throws file_type_refused.
 */
export function typeAfterRename(type: string, name: string, newName: string, allowed: readonly string[]): string {
  if (extensionOf(name) === extensionOf(newName)) return type;
  const extension = allowedExtension("new_path", newName, allowed);
  const format = formats.get(extension);
  if (!format || fits(format, type)) return type;
  const ofName = typeUnderName(type, newName);
  if (ofName !== type) return ofName;
  const received = `${type} named ${newName}`;
  throw problem("file_type_refused", { argument: "new_path", received, accepted: expectedUnder(extension, format) });
}

/** The type of bytes that had this one under an earlier name: among txt, md and csv the name decides. */
export function typeUnderName(type: string, name: string): string {
  const format = formats.get(extensionOf(name));
  return format?.sort === "text" && plainTexts.has(format.type) && plainTexts.has(type) ? format.type : type;
}

/** True for a text that is valid in Content-Type, without parameters. RFC 6838 §4.2. */
export const isMediaType = (text: string): boolean =>
  text.length <= 255 && /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i.test(text);

/** True for raster images. */
export function isRasterImage(type: string): boolean {
  return rasterSignatures.has(type) || type === "image/bmp" || type === "image/tiff";
}

/** The pictures that are stored but not drawn, as a message calls them. */
export const undrawn: ReadonlyMap<string, string> = new Map([
  ["image/heic", "HEIC"],
  ["image/heic-sequence", "HEIC"],
  ["image/heif", "HEIF"],
  ["image/heif-sequence", "HEIF"],
  ["image/x-icon", "ICO"],
  ["image/bmp", "BMP"],
]);

/** True for a picture that renditions are drawn from. */
export const isDrawn = (type: string): boolean =>
  (isRasterImage(type) || type === "image/svg+xml") && !undrawn.has(type);

/** True when a browser may show it inline: raster images, SVG, audio, video, PDF, plain text and CSV. Contract §5. */
export function isInline(type: string): boolean {
  if (/^(?:audio|video)\//.test(type) || isRasterImage(type)) return true;
  return ["image/svg+xml", "application/pdf", "text/plain", "text/csv"].includes(type);
}

/** True for a document that could run scripts when opened directly: SVG, HTML and every other XML. */
export function isActiveDocument(type: string): boolean {
  return type === "text/html" || type === "text/xml" || type === "application/xml" || type.endsWith("+xml");
}

/** The extension of the name, if uploads may have it. Throws file_type_refused. */
export function allowedExtension(argument: string, name: string, allowed: readonly string[]): string {
  const extension = extensionOf(name);
  if (extension !== "" && allowed.includes(extension)) return extension;
  const accepted = `a name that ends in ${allowed.map((each) => `.${each}`).join(", ")}`;
  throw problem("file_type_refused", { argument, received: name, accepted });
}

/** The stored type of the bytes with the extension's format, or undefined when they do not match. */
function typeUnder(format: Format, inspection: Inspection): string | undefined {
  if (format.sort === "text") return isTextAs(format.parses, inspection) ? format.type : undefined;
  const type = bytesType(inspection);
  if (type === undefined || !signaturesOf(format).has(type)) return undefined;
  return format.sort === "signed" ? (format.storedAs ?? type) : type;
}

function isTextAs(parses: "json" | "svg" | undefined, { signature, isText, parsesAs }: Inspection): boolean {
  return isText && canBeText(signature) && (parses === undefined || parsesAs.includes(parses));
}

/**
 * The type by signature, without parameters ("audio/ogg; codecs=opus"). Undefined for a text that only seems to have
 * one.
 */
function bytesType({ signature, isText }: Inspection): string | undefined {
  return isText && canBeText(signature) ? undefined : signature?.split(";")[0];
}

function fits(format: Format, type: string): boolean {
  if (format.sort === "text") return format.type === type;
  return signaturesOf(format).has(type) || (format.sort === "signed" && format.storedAs === type);
}

const signaturesOf = (format: Format): Set<string> =>
  new Set(format.sort === "raster" ? rasterSignatures : format.sort === "signed" ? format.signatures : []);

function describeBytes(inspection: Inspection): string {
  return bytesType(inspection) ?? (inspection.isText ? "text" : "unknown bytes");
}

function expectedUnder(extension: string, format: Format): string {
  if (format.sort === "raster") return `.${extension} to hold a picture: ${[...rasterSignatures].join(", ")}`;
  if (format.sort === "signed") return `.${extension} to hold ${format.signatures.join(", ")}`;
  const parses = { json: "well-formed JSON in UTF-8", svg: "well-formed XML with an svg root, in UTF-8" };
  return `.${extension} to hold ${format.parses ? parses[format.parses] : "text in UTF-8 without U+0000"}`;
}
