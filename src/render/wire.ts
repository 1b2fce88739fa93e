import { type Access, isDelivered } from "../core/access/access.ts";
import type { Call } from "../core/http/call.ts";
import type { CollectionArguments } from "../core/http/collection.ts";
import { argument } from "../core/http/route.ts";
import { describeJson, type Json, type JsonObject } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { problem } from "../core/problem.ts";
import type { PublicPictures } from "../image/public-picture.ts";
import { FileAddresses } from "./address.ts";
import { type Render, renders } from "./render.ts";

/** The argument `render` of reads of entries. Contract, part two, §10. */

const accepted = renders.join(" or ");

export const renderArgument = argument(
  Type.Optional(
    Type.Unsafe<Render>({
      type: "string",
      enum: [...renders],
      description:
        "`html` answers sanitised HTML for the texts that the entry's type marks as Markdown or HTML, and for `content` where no type speaks of it; `raw` the texts as they are stored. `options[render]` is the same. HTML is for delivery and preview: with a management token only /api/delivery/entries answers it.",
    }),
  ),
  (sent, name) => (sent.has(name) ? parseRender(sent.get(name), name) : undefined),
);

export const imagePresetArgument = Type.Optional(
  Type.String({
    description:
      "With `render=html`: a preset of the setting `image_public`, in which the pictures of the store are shown, with `srcset`, `width`, `height` and `loading`. `options[image_preset]` is the same.",
  }),
);

/**
 * The preset in which pictures are shown. Throws argument_invalid, which names those that are public, and
 * argument_conflict where the two forms differ.
 */
export function imagePresetOf(
  { imagePreset, options }: { imagePreset?: string; options?: JsonObject },
  presets: ReadonlySet<string>,
): string | undefined {
  const option = options?.get("image_preset");
  if (imagePreset !== undefined && option !== undefined && imagePreset !== option)
    throw problem("argument_conflict", { first: "image_preset", second: "options[image_preset]" });
  const asked = imagePreset ?? option;
  if (asked === undefined) return undefined;
  if (typeof asked === "string" && presets.has(asked)) return asked;
  const names =
    presets.size > 0 ? `one of ${[...presets].join(", ")}` : "none: the setting image_public names no preset";
  throw problem("argument_invalid", {
    argument: imagePreset === undefined ? "options[image_preset]" : "image_preset",
    received: typeof asked === "string" ? asked : describeJson(asked),
    accepted: names,
  });
}

function parseRender(value: Json | undefined, name: string): Render {
  const found = renders.find((each) => each === value);
  if (found) return found;
  const received = typeof value === "string" ? value : describeJson(value ?? null);
  throw problem("argument_invalid", { argument: name, received, accepted });
}

/** Where the service is, and what shows its pictures. */
type Placing = { publicUrl: string | undefined; pictures: PublicPictures };

/** The addresses in the HTML of a read by this access. Throws host_invalid. */
export function placesOf(
  call: Call,
  preset: string | undefined,
  access: Access,
  { publicUrl, pictures }: Placing,
): FileAddresses {
  const base = publicUrl ?? call.origin();
  if (preset === undefined) return new FileAddresses(base);
  const seesFiles = call.token?.resources.includes("files") === true;
  return new FileAddresses(base, { pictures, preset, reader: { access, seesFiles } });
}

type RenderArguments = CollectionArguments & { render?: Render };

/**
 * True when the read answers HTML; `token` is the access of the caller's token, `access` the one that the route reads with.
 * Throws argument_invalid, also for a reader that edits what it reads; argument_conflict
 * when `render` and `options[render]` differ.
 */
export function rendersHtml(
  token: Access,
  { render, options }: RenderArguments,
  access: Access,
  byDefault: Render,
): boolean {
  const option = options?.has("render") ? parseRender(options.get("render"), "options[render]") : undefined;
  if (render !== undefined && option !== undefined && render !== option)
    throw problem("argument_conflict", { first: "render", second: "options[render]" });
  const asked = render ?? option;
  if (asked === "html" && !isDelivered(access)) {
    throw problem("argument_invalid", {
      argument: render === undefined ? "options[render]" : "render",
      received: asked,
      accepted: "raw with this token; /api/delivery/entries answers HTML",
    });
  }
  if (asked === undefined) return byDefault === "html" && token.reads === "public";
  return asked === "html";
}
