import type { Example, Given, Refused } from "./example.ts";

/** The examples of images in the reference, on the sample site of `octavo serve --demo`. */

export const imageExamples: readonly [Example, ...Example[]] = [
  { summary: "The picture as it is", path: "movies/solaris.jpg" },
  { summary: "320 pixels wide, as WebP", path: "movies/solaris.jpg", arguments: { w: "320", fm: "webp" } },
  {
    summary: "A square cut of the middle",
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

export const imageRefused: Refused = {
  file_not_found: { path: "movies/nowhere.jpg" },
  argument_invalid: { arguments: { w: "wide", strict: 1 } },
  image_unsupported: { given: [upload("notes.txt", "Not a picture.")], path: "odd/notes.txt" },
  image_unreadable: { given: [upload("broken.gif", "GIF89a")], path: "odd/broken.gif", arguments: { w: 100 } },
};
