import type { ContentType } from "../../../../client/src/client.ts";
import type { JsonObject } from "../../api/json.ts";
import { newShape } from "./shapes.ts";

/** Common types that a new one can begin with. All of it can be changed. */

export type Starter = { id: string; title: string; description: string; path: string; properties: JsonObject };

const text = (title: string, more: JsonObject = {}): JsonObject => ({ type: "string", title, ...more });
const prose = (title: string): JsonObject => text(title, { contentMediaType: "text/markdown" });
const picture = (title: string): JsonObject => text(title, { format: "file", "x-octavo-media": ["image/*"] });
const long = (title: string, description: string): JsonObject =>
  text(title, { description, contentMediaType: "text/plain" });
const tags = (): JsonObject => ({ type: "array", title: "Tags", uniqueItems: true, items: { type: "string" } });
const choice = (title: string, labels: Record<string, string>): JsonObject =>
  text(title, { oneOf: Object.entries(labels).map(([value, label]) => ({ const: value, title: label })) });

const blocks = (): JsonObject => ({
  type: "array",
  title: "Blocks",
  items: {
    oneOf: [
      newShape("kind", "text", "Text", { text: prose("Text") }),
      newShape("kind", "picture", "Picture", { picture: picture("Picture"), caption: text("Caption") }),
      newShape("kind", "quote", "Quote", { words: text("Words"), source: text("Source") }),
    ],
  },
});

export const starters: readonly Starter[] = [
  { id: "", title: "Empty", description: "A title.", path: "", properties: { title: text("Title") } },
  {
    id: "article",
    title: "Article",
    description: "Title, summary, cover, author, tags and text.",
    path: "articles/*",
    properties: {
      title: text("Title"),
      summary: long("Summary", "Two sentences for lists and search engines."),
      cover: picture("Cover"),
      author: text("Author", { format: "entry" }),
      tags: tags(),
      content: prose("Text"),
    },
  },
  {
    id: "page",
    title: "Page",
    description: "Title, summary, and blocks of text, pictures and quotes.",
    path: "pages/**",
    properties: {
      title: text("Title"),
      summary: long("Summary", "Two sentences for search engines."),
      blocks: blocks(),
    },
  },
  {
    id: "author",
    title: "Author",
    description: "Name, portrait, what the author does, address and text.",
    path: "authors/*",
    properties: {
      title: text("Name"),
      portrait: picture("Portrait"),
      role: text("Role"),
      website: text("Website", { format: "uri" }),
      content: prose("About"),
    },
  },
  {
    id: "product",
    title: "Product",
    description: "Name, number, price, stock, pictures, tags and text.",
    path: "products/*",
    properties: {
      title: text("Name"),
      number: text("Number"),
      price: { type: "number", title: "Price", minimum: 0 },
      currency: choice("Currency", { eur: "Euro", usd: "US dollar", gbp: "Pound sterling" }),
      availability: choice("Availability", { in_stock: "In stock", on_order: "On order", sold_out: "Sold out" }),
      pictures: {
        type: "array",
        title: "Pictures",
        items: { type: "string", format: "file", "x-octavo-media": ["image/*"] },
      },
      tags: tags(),
      content: prose("Description"),
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
