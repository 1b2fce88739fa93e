import type { Described, Descriptions, Examples, Given, Refused, Tag } from "../../api-docs/example.ts";

/** Images in the reference; the examples are on the sample site of `octavo serve --demo`. */

const imageExamples: Examples = [
  { summary: "The source image", path: "movies/solaris.jpg" },
  { summary: "320 pixels wide, as WebP", path: "movies/solaris.jpg", arguments: { w: "320", fm: "webp" } },
  {
    summary: "A square crop of the centre",
    path: "movies/metropolis.jpg",
    arguments: { w: "200", h: "200", fit: "crop" },
  },
];

const upload = (name: string, content: string): Given => ({
  method: "POST",
  url: "/api/files",
  arguments: { folder: "odd" },
  file: { name, content },
});

const imageRefused: Refused = {
  file_not_found: { path: "movies/nowhere.jpg" },
  argument_invalid: { arguments: { w: "wide", strict: 1 } },
  image_unsupported: { given: [upload("notes.txt", "Not a picture.")], path: "odd/notes.txt" },
  image_unreadable: { given: [upload("broken.gif", "GIF89a")], path: "odd/broken.gif", arguments: { w: 100 } },
};

const described: Described = {
  description:
    "Without arguments, or with arguments that change nothing, the reply has the stored bytes. Any other reply is " +
    "upright. An invalid argument is ignored, as in Flextype. `strict=1` refuses it instead, as well as a missing " +
    "watermark, a size above the limits and a truncated JPEG or PNG. A signature `s` replaces the token, and so does a " +
    "preset of the setting `image_public`, with nothing but `p`, `dpr` from 1 to 3 and `v`: what is no picture is then 404.",
  examples: imageExamples,
  refused: imageRefused,
};

export const tags: readonly Tag[] = [
  {
    name: "Images",
    group: "Library",
    holds: /^\/api\/(delivery\/)?images/,
    description:
      "Renditions of images: the path of a file, with arguments for size, crop, format and effects. " +
      "[The guide to images](/docs/images) shows each argument with a sample.",
  },
];

export const operations: Descriptions = {
  "GET /api/images/*": described,
  "GET /api/delivery/images/*": {
    ...described,
    description: `The same as /api/images/{path}, under the name of an earlier release of Flextype. ${described.description}`,
  },
};
