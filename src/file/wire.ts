import { oneOrMany, someFields, time } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { exif, preview } from "../image/picture-wire.ts";

const urls = {
  url: Type.String({ description: "Path below the site's root, not encoded.", examples: ["project/uploads/blog"] }),
  full_url: Type.String({ description: "The absolute URL, percent-encoded." }),
};

/** `path` and `full_path`, or `id` and `full_id`. */
export const folderObject = (key: "path" | "id") =>
  Type.Object(
    {
      [key]: Type.String({ description: "The folder's path." }),
      [`full_${key}`]: Type.String({ description: "The absolute directory on the server." }),
      ...urls,
    },
    { $id: key === "path" ? "Folder" : "MediaFolder", description: "A folder." },
  );

export const folderList = (key: "path" | "id") =>
  oneOrMany(folderObject(key), Type.Array(Type.Union([folderObject(key), someFields(folderObject(key))])));

export const fileObject = Type.Object(
  {
    title: Type.String({ description: "The title; by default the name without extension." }),
    description: Type.String({ description: "A text about the file; may be empty." }),
    type: Type.String({ description: "The media type detected in the bytes.", examples: ["image/jpeg"] }),
    filesize: Type.Integer({ description: "Bytes." }),
    uploaded_on: time("When the bytes were uploaded."),
    exif,
    preview: Type.Optional(preview),
    filename: Type.String({ description: "The name with its extension." }),
    basename: Type.String({ description: "The name without its extension." }),
    extension: Type.String({ description: "In lower case, without the dot." }),
    dirname: Type.String({ description: "The absolute directory on the server." }),
    ...urls,
    version: Type.String({ description: "Changes whenever the bytes do." }),
    sent_name: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          "With `options[sent_name]`: the name under which the file was uploaded; null for files from before this was kept, and for copies.",
      }),
    ),
  },
  {
    $id: "File",
    additionalProperties: true,
    description: "A file: the service's fields and, at the same level, the client's own.",
  },
);

export const fileList = oneOrMany(
  fileObject,
  Type.Object(
    {},
    {
      additionalProperties: Type.Union([fileObject, someFields(fileObject)]),
      description: "Files by name, or with `recursive` by path below the folder.",
    },
  ),
);
