import type { ContentType } from "../../../../client/src/client.ts";
import type { JsonObject } from "../../api/json.ts";
import { say } from "../../language/say.ts";
import { newShape } from "./shapes.ts";

/** Common types that a new one can begin with. All of it can be changed. */

export type Starter = { id: string; title: string; description: string; path: string; properties: JsonObject };

const text = (title: string, more: JsonObject = {}): JsonObject => ({ type: "string", title, ...more });
const prose = (title: string): JsonObject => text(title, { contentMediaType: "text/markdown" });
const picture = (title: string): JsonObject => text(title, { format: "file", "x-octavo-media": ["image/*"] });
const long = (title: string, description: string): JsonObject =>
  text(title, { description, contentMediaType: "text/plain" });
const tags = (): JsonObject => ({ type: "array", title: say("Tags"), uniqueItems: true, items: { type: "string" } });
const choice = (title: string, labels: Record<string, string>): JsonObject =>
  text(title, { oneOf: Object.entries(labels).map(([value, label]) => ({ const: value, title: label })) });

const blocks = (): JsonObject => ({
  type: "array",
  title: say("Blocks"),
  items: {
    oneOf: [
      newShape("kind", "text", say("Text"), { text: prose(say("Text")) }),
      newShape("kind", "picture", say("Picture"), { picture: picture(say("Picture")), caption: text(say("Caption")) }),
      newShape("kind", "quote", say("Quote"), { words: text(say("Words")), source: text(say("Source")) }),
    ],
  },
});

export const starters: readonly Starter[] = [
  { id: "", title: say("Empty"), description: say("A title."), path: "", properties: { title: text(say("Title")) } },
  {
    id: "article",
    title: say("Article"),
    description: say("Title, summary, cover, author, tags and text."),
    path: "articles/*",
    properties: {
      title: text(say("Title")),
      summary: long(say("Summary"), say("Two sentences for lists and search engines.")),
      cover: picture(say("Cover")),
      author: text(say("Author"), { format: "entry" }),
      tags: tags(),
      content: prose(say("Text")),
    },
  },
  {
    id: "page",
    title: say("Page"),
    description: say("Title, summary, and blocks of text, pictures and quotes."),
    path: "pages/**",
    properties: {
      title: text(say("Title")),
      summary: long(say("Summary"), say("Two sentences for search engines.")),
      blocks: blocks(),
    },
  },
  {
    id: "author",
    title: say("Author"),
    description: say("Name, portrait, what the author does, address and text."),
    path: "authors/*",
    properties: {
      title: text(say("Name")),
      portrait: picture(say("Portrait")),
      role: text(say("Role")),
      website: text(say("Website"), { format: "uri" }),
      content: prose(say("About")),
    },
  },
  {
    id: "product",
    title: say("Product"),
    description: say("Name, number, price, stock, pictures, tags and text."),
    path: "products/*",
    properties: {
      title: text(say("Name")),
      number: text(say("Number")),
      price: { type: "number", title: say("Price"), minimum: 0 },
      currency: choice(say("Currency"), { eur: say("Euro"), usd: say("US dollar"), gbp: say("Pound sterling") }),
      availability: choice(say("Availability"), {
        in_stock: say("In stock"),
        on_order: say("On order"),
        sold_out: say("Sold out"),
      }),
      pictures: {
        type: "array",
        title: say("Pictures"),
        items: { type: "string", format: "file", "x-octavo-media": ["image/*"] },
      },
      tags: tags(),
      content: prose(say("Description")),
    },
  },
];

/** The schema of a type that begins so: without a reference to types that the store does not have. */
export function schemaOf({ id, properties }: Starter, known: readonly ContentType[]): JsonObject {
  const author = properties.author as JsonObject | undefined;
  const isKnown = author && known.some(({ id }) => id === "author");
  const all = isKnown ? { ...properties, author: { ...author, "x-octavo-types": ["author"] } } : properties;
  return { type: "object", ...(id !== "" && { required: ["title"] }), properties: all };
}
