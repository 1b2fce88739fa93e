import { Type } from "../core/lib/json-schema.ts";

/** Members of file objects that are about pictures, on the wire. */

export const exif = Type.Object(
  {
    html: Type.Optional(
      Type.String({
        description: "Width and height as attributes of an `img`.",
        examples: ['width="640" height="480"'],
      }),
    ),
    Height: Type.Optional(Type.Integer({ description: "Pixels." })),
    Width: Type.Optional(Type.Integer({ description: "Pixels." })),
    IsColor: Type.Optional(Type.Integer({ description: "1, or 0 for a greyscale image." })),
  },
  { description: "Only of images; the size as stored, before any EXIF rotation." },
);

export const preview = Type.Union(
  [
    Type.Object({
      thumbhash: Type.String({
        description: "A ThumbHash of the upright picture, in base64.",
        examples: ["HBkSHYSIeHiPiHh8eJd4eTN0EEQG"],
      }),
      color: Type.String({ description: "The mean colour of what is not transparent.", examples: ["#8a5b3c"] }),
    }),
    Type.Null(),
  ],
  {
    description:
      "With `options[preview]`: what stands in for a picture until it is loaded; null for what is no picture, or one that cannot be drawn; absent where it is not made yet (see `Octavo-Previews-Pending`).",
  },
);
