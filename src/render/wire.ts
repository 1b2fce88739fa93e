import { type Access, isDelivered } from "../core/access/access.ts";
import type { CollectionArguments } from "../core/http/collection.ts";
import { argument } from "../core/http/route.ts";
import { describeJson, type Json } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { problem } from "../core/problem.ts";
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

function parseRender(value: Json | undefined, name: string): Render {
  const found = renders.find((each) => each === value);
  if (found) return found;
  const received = typeof value === "string" ? value : describeJson(value ?? null);
  throw problem("argument_invalid", { argument: name, received, accepted });
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
