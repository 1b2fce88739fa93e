import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptedType,
  extensionOf,
  type Inspection,
  isActiveDocument,
  isInline,
  isRasterImage,
  standardExtensions,
  typeAfterRename,
} from "./media-type.ts";

const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const wide = [...standardExtensions, "html", "xml", "mov", "woff2", "bmp", "odt", "stp", "yaml", "yml", "mkv"];

const binary = (signature?: string): Inspection => ({ signature, isText: false, parsesAs: [], image: undefined });
const text = (signature?: string, ...parsesAs: ("json" | "svg")[]): Inspection => ({
  ...{ signature, isText: true, parsesAs, image: undefined },
});

const extensions: [name: string, extension: string][] = [
  ["a.jpg", "jpg"],
  ["a.JPG", "jpg"],
  ["a.tar.gz", "gz"],
  ["a", ""],
  ["a.", ""],
  [".htaccess", ""],
  [".a.png", "png"],
  ["", ""],
];
for (const [name, extension] of extensions) {
  test(`the extension of "${name}" is "${extension}"`, () => assert.equal(extensionOf(name), extension));
}

const accepted: [name: string, inspection: Inspection, type: string][] = [
  ["a.jpg", binary("image/jpeg"), "image/jpeg"],
  ["A.JPG", binary("image/jpeg"), "image/jpeg"],
  ["a.jpg", binary("image/png"), "image/png"],
  ["a.png", binary("image/apng"), "image/apng"],
  ["a.heic", binary("image/heif"), "image/heif"],
  ["a.ico", binary("image/gif"), "image/gif"],
  ["a.pdf", binary("application/pdf"), "application/pdf"],
  ["a.pdf", text("application/pdf"), "application/pdf"],
  ["a.doc", binary("application/x-cfb"), "application/msword"],
  ["a.xls", binary("application/x-cfb"), "application/vnd.ms-excel"],
  ["a.ppt", binary("application/x-cfb"), "application/vnd.ms-powerpoint"],
  ["a.docx", binary(docx), docx],
  ["a.zip", binary(docx), docx],
  ["a.zip", binary("application/zip"), "application/zip"],
  ["a.tgz", binary("application/gzip"), "application/gzip"],
  ["a.m4a", binary("video/mp4"), "video/mp4"],
  ["a.mp4", binary("video/quicktime"), "video/quicktime"],
  ["a.wmv", binary("video/x-ms-asf"), "video/x-ms-asf"],
  ["a.ogg", binary("audio/ogg; codecs=opus"), "audio/ogg"],
  ["a.txt", text(), "text/plain"],
  ["a.md", text(), "text/markdown"],
  ["a.csv", text("image/bmp"), "text/csv"],
  ["a.txt", text(undefined, "json"), "text/plain"],
  ["a.json", text("video/quicktime", "json"), "application/json"],
  ["a.svg", text("application/xml", "svg"), "image/svg+xml"],
  ["a.html", text(), "text/html"],
  ["a.html", text("application/xml"), "text/html"],
  ["a.xml", text("application/xml"), "application/xml"],
  ["a.mkv", binary("video/webm"), "video/webm"],
  ["a.woff2", binary("font/woff2"), "font/woff2"],
  ["a.stp", text(), "application/octet-stream"],
  ["a.stp", text("application/x-msdownload"), "application/octet-stream"],
  ["a.stp", binary(), "application/octet-stream"],
  ["a.stp", binary("application/pdf"), "application/pdf"],
];
for (const [name, inspection, type] of accepted) {
  test(`${name} with the bytes of ${describe(inspection)} is ${type}`, () => {
    assert.equal(acceptedType(name, inspection, wide), type);
  });
}

const refused: [name: string, inspection: Inspection][] = [
  ["a.jpg", text()],
  ["a.jpg", binary()],
  ["a.jpg", text("image/bmp")],
  ["a.jpg", binary("application/pdf")],
  ["a.jpg", binary("image/tiff")],
  ["a.bmp", binary("image/png")],
  ["a.txt", binary("image/png")],
  ["a.txt", text("application/pdf")],
  ["a.txt", text("image/gif")],
  ["a.txt", binary("application/zip")],
  ["a.txt", binary()],
  ["a.json", text()],
  ["a.json", text(undefined, "svg")],
  ["a.svg", text()],
  ["a.svg", text(undefined, "json")],
  ["a.svg", binary("application/xml")],
  ["a.pdf", text()],
  ["a.pdf", binary("application/zip")],
  ["a.docx", binary("application/zip")],
  ["a.docx", binary("application/x-cfb")],
  ["a.epub", binary(docx)],
  ["a.zip", binary("application/gzip")],
  ["a.mp3", text("audio/mpeg")],
  ["a.mp4", binary("audio/mpeg")],
  ["a.exe", binary("application/x-msdownload")],
  ["a.html.exe", text()],
  ["a", text()],
  [".txt", text()],
  ["a.", text()],
  ["a.constructor", text()],
];
for (const [name, inspection] of refused) {
  test(`${name} with the bytes of ${describe(inspection)} is refused`, () => {
    assert.throws(() => acceptedType(name, inspection, wide), { code: "file_type_refused" });
  });
}

test("a refusal names the detected type and the accepted ones", () => {
  assert.throws(() => acceptedType("notes.txt", binary("image/png"), standardExtensions), {
    message: '"file" was "image/png named notes.txt"; expected .txt to hold text in UTF-8 without U+0000',
  });
  assert.throws(() => acceptedType("notes.exe", text(), ["txt", "md"]), {
    message: '"file" was "notes.exe"; expected a name that ends in .txt, .md',
  });
});

test("an extension is accepted only if it is in the list", () => {
  assert.throws(() => acceptedType("a.html", text(), standardExtensions), { code: "file_type_refused" });
  assert.throws(() => acceptedType("a.png", binary("image/png"), ["jpg"]), { code: "file_type_refused" });
});

const renamed: [type: string, name: string, newName: string, after: string][] = [
  ["image/png", "a.png", "b.png", "image/png"],
  ["image/png", "a.png", "b.PNG", "image/png"],
  ["image/png", "a.png", "a.jpg", "image/png"],
  ["image/jpeg", "a.jpg", "a.jpeg", "image/jpeg"],
  ["text/plain", "a.txt", "a.md", "text/markdown"],
  ["text/markdown", "a.md", "a.csv", "text/csv"],
  ["text/csv", "a.csv", "a.txt", "text/plain"],
  ["text/yaml", "a.yml", "a.yaml", "text/yaml"],
  [docx, "a.docx", "a.zip", docx],
  [docx, "a.zip", "a.docx", docx],
  ["video/mp4", "a.mp4", "a.mov", "video/mp4"],
  ["application/x-gone", "a.gone", "b.gone", "application/x-gone"],
  ["application/octet-stream", "a", "b", "application/octet-stream"],
];
for (const [type, name, newName, after] of renamed) {
  test(`${type} renamed from ${name} to ${newName} is ${after}`, () => {
    assert.equal(typeAfterRename(type, name, newName, wide), after);
  });
}

const notRenamed: [type: string, name: string, newName: string][] = [
  ["image/png", "a.png", "a.txt"],
  ["image/png", "a.png", "a"],
  ["image/png", "a.png", ".png"],
  ["image/png", "a.png", "a.exe"],
  ["image/png", "a.png", "a.svg"],
  ["image/png", "a.png", "a.pdf"],
  ["image/png", "a.png", "a."],
  ["image/svg+xml", "a.svg", "a.png"],
  ["image/svg+xml", "a.svg", "a.txt"],
  ["text/plain", "a.txt", "a.html"],
  ["text/plain", "a.txt", "a.json"],
  ["text/plain", "a.txt", "a.docx"],
  ["text/plain", "a.txt", ".htaccess"],
  ["application/json", "a.json", "a.txt"],
  ["application/pdf", "a.pdf", "a.zip"],
  [docx, "a.docx", "a.pptx"],
  ["text/html", "a.html", "a.txt"],
  ["application/zip", "a.zip", "a.docx"],
  ["application/msword", "a.doc", "a.xls"],
  ["application/octet-stream", "a.bin", "a.png"],
];
for (const [type, name, newName] of notRenamed) {
  test(`${type} cannot be renamed from ${name} to ${newName}`, () => {
    assert.throws(() => typeAfterRename(type, name, newName, wide), {
      code: "file_type_refused",
      message: /"new_path"/,
    });
  });
}

const shown = [
  ...["image/jpeg", "image/png", "image/svg+xml", "audio/mpeg", "video/mp4", "application/pdf"],
  ...["text/plain", "text/csv"],
];
const attached = [
  ...["text/html", "application/xml", "text/javascript", "text/css", "application/zip", "text/markdown"],
  ...["application/json", "application/octet-stream", "application/xhtml+xml", docx],
];
test("types that browsers show safely are inline, the others attachments", () => {
  assert.deepEqual(shown.filter(isInline), shown);
  assert.deepEqual(attached.filter(isInline), []);
});

test("types that could run scripts are known, and no raster image is one", () => {
  const active = ["image/svg+xml", "text/html", "application/xhtml+xml", "application/xml", "text/xml"];
  assert.deepEqual([...shown, ...attached, "text/xml"].filter(isActiveDocument).sort(), active.sort());
  assert.ok(isRasterImage("image/avif") && isRasterImage("image/x-icon"));
  assert.ok(!isRasterImage("image/svg+xml") && !isRasterImage("image/vnd.dwg"));
});

test("every extension that a fresh installation accepts has a format", () => {
  for (const extension of standardExtensions) {
    const octets = (): string => acceptedType(`a.${extension}`, binary(), standardExtensions);
    assert.throws(octets, { code: "file_type_refused" }, extension);
  }
});

function describe({ signature, isText, parsesAs }: Inspection): string {
  return [signature ?? "no signature", isText ? "text" : "", ...parsesAs].filter(Boolean).join(", ");
}
