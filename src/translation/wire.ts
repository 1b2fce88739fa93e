import { oneOf } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { visibilities } from "../entry/field.ts";

/** The objects of translations on the wire. */

const orNull = <T extends Parameters<typeof Type.Optional>[0]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const keys = (description: string) => Type.Array(Type.String(), { description });

export const translationObject = Type.Object(
  {
    locale: Type.String({ description: "The locale." }),
    exists: Type.Boolean({ description: "Whether there is a translation." }),
    name: orNull(Type.String(), "The last part of its path in this locale; null for that of the entry."),
    visibility: orNull(oneOf(visibilities, "As of an entry."), "Null without a translation, as what follows."),
    published_at: orNull(Type.Integer(), "When it is or becomes public. Unix seconds."),
    revision: orNull(Type.Integer(), "The event that made it."),
    modified_at: orNull(Type.Integer(), "When it last changed. Unix seconds."),
    modified_by: orNull(Type.String(), "The id of the token that changed it, or `person:` and the id of a person."),
    keys: keys("The translated keys."),
    missing: keys("Keys that its type lets be translated, and that the source has and it has not."),
    outdated: keys("Translated keys whose source has changed since."),
    staged: keys("Keys of its working copy."),
  },
  { $id: "Translation", description: "How far an entry is translated into a locale." },
);
