import { hash } from "node:crypto";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Projects of the original as its releases write them. Reference of its behaviour: compatibility.md. */

/** The smallest PNG. */
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** When files without times were written. */
export const fileSeconds = Date.UTC(2020, 0, 2, 3, 4, 5) / 1000;

/** Writes files below the folder, with one time. */
export function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [path, bytes] of Object.entries(files)) {
    const at = join(folder, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, bytes);
    utimesSync(at, fileSeconds, fileSeconds);
  }
}

/** Writes folders with these files below one folder, and answers where each is. */
export function siteWriter(folder: string): (files: Record<string, string | Buffer>) => string {
  let number = 0;
  return (files) => {
    const at = join(folder, `site-${++number}`);
    mkdirSync(at);
    writeFiles(at, files);
    return at;
  };
}

/** A token of the original: 32 hex digits. */
export const secretOf = (name: string): string => hash("md5", name);

const token = (title: string, more = ""): string =>
  `title: ${title}\nicon: 'fas fa-database'\nlimit_calls: 0\ncalls: 3\nstate: enabled\nuuid: 5e0b1c2a-8f0d-4c63-9a52-0a7a1d3c4b5e\ncreated_by: ''\ncreated_at: '05-05-2020 10:30'\nupdated_by: ''\nupdated_at: '05-05-2020 10:30'\n${more}`;

const entry = (front: string, content = ""): string => `---\n${front}---\n${content}`;

const blog = entry(
  "title: Blog\npublished_at: '01-05-2020 10:30'\ncreated_at: '01-05-2020 10:30'\npublished_by: ''\ncreated_by: ''\nrouteable: true\nroutable: true\nvisibility: visible\nuuid: 0d9c2a56-2f3f-4d6d-8f52-6a3a4f0e7b11\n",
  "All **posts**\n",
);
const first = entry(
  "title: First\nweight: 1.50\nbig: 9007199254740993\ndate: 2020-05-01\nzip: 01234\ntags:\n  - red\n  - green\nauthor:\n  name: Ada\nuuid: 7d1f2a56-2f3f-4d6d-8f52-6a3a4f0e7b22\ncreated_at: '02-05-2020 11:00'\npublished_at: '02-05-2020 11:00'\n",
  'Hello [registry_get name="x"]\n',
);
const draft = entry("title: Draft\nvisibility: draft\nweight: 2\n", "Not yet\n");

const entries = {
  "project/entries/blog/entry.md": blog,
  "project/entries/blog/first/entry.md": first,
  "project/entries/blog/draft/entry.md": draft,
  "project/entries/data/entry.yaml": "title: From YAML\nn: 1.0\n",
  "project/entries/more/entry.json": '{"title":"From JSON","n":1.0}',
  "project/entries/short/entry.yml": "title: From yml\n",
};

const meta = (title: string): string =>
  `title: ${title}\ndescription: 'A dot'\ntype: image/png\nfilesize: ${png.length}\nuploaded_on: 1588329000\nexif:\n  Height: 1\n  Width: 1\nphotographer: Bob\n`;

/** 0.9.8: tokens for delivery and for management; images below the uploads' folder `entries`; no metadata. */
export const project098 = {
  ...entries,
  "project/uploads/entries/blog/dot.png": png,
  [`project/tokens/delivery/entries/${secretOf("d")}/token.yaml`]: token("Delivery"),
  [`project/tokens/delivery/registry/${secretOf("r")}/token.yaml`]: token("Registry"),
  [`project/tokens/management/entries/${secretOf("m")}/token.yaml`]: token("Management"),
  [`project/tokens/images/${secretOf("i")}/token.yaml`]: token("Images"),
  [`project/tokens/access/${secretOf("a")}/token.yaml`]: token("Access"),
  "project/config/flextype/settings.yaml": "url: ''\n",
};

const later = {
  ...entries,
  [`project/tokens/entries/${secretOf("e")}/token.yaml`]: token("Entries"),
  [`project/tokens/registry/${secretOf("r")}/token.yaml`]: token("Registry"),
  [`project/tokens/images/${secretOf("i")}/token.yaml`]: token("Images"),
  [`project/tokens/access/${secretOf("a")}/token.yaml`]: token("Access"),
};

/** 0.9.9–0.9.12: files and folders with metadata below `uploads`. */
export const project0912 = {
  ...later,
  "project/uploads/photos/Dot.PNG": png,
  "project/uploads/.meta/photos/Dot.PNG.yaml": meta("Dot"),
  "project/uploads/entries/blog/dot.png": png,
  "project/uploads/.meta/gone.png.yaml": meta("Gone"),
  [`project/tokens/files/${secretOf("f")}/token.yaml`]: token("Files"),
  [`project/tokens/folders/${secretOf("o")}/token.yaml`]: token("Folders"),
  [`project/tokens/entries/${secretOf("l")}/token.yaml`]: token("Limited").replace("limit_calls: 0", "limit_calls: 5"),
  [`project/tokens/entries/${secretOf("x")}/token.yaml`]: token("Off").replace("enabled", "disabled"),
  "project/tokens/entries/weak/token.yaml": token("Weak"),
};

/** 0.9.13–0.9.16: the same below `media`. */
export const project0913 = {
  ...later,
  "project/media/photos/Dot.PNG": png,
  "project/media/.meta/photos/Dot.PNG.yaml": meta("Dot"),
  "project/watermarks/mark.png": png,
  [`project/tokens/media/files/${secretOf("f")}/token.yaml`]: token("Files"),
  [`project/tokens/media/folders/${secretOf("f")}/token.yaml`]: token("Folders"),
};
