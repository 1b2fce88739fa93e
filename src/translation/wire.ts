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

export const translationRow = Type.Object(
  {
    id: Type.String({ description: "The id of the entry." }),
    title: Type.String({ description: "Its title in the source; empty without one." }),
    ...translationObject.properties,
  },
  { $id: "TranslationRow", description: "How far one entry is translated into one locale." },
);

const count = (description: string) => Type.Integer({ description });
export const progressCounts = Type.Object(
  {
    entries: count("The entries that there are."),
    done: count("Those that are neither missing nor outdated."),
    outdated: count("Those with outdated keys."),
    missing: count("Those without a translation, or with missing keys; some are outdated, too."),
  },
  { $id: "TranslationCounts", description: "How far entries are translated into a locale." },
);

const place = Type.Object({
  id: Type.String({ description: "The id of the entry." }),
  pointer: Type.String({ description: "The JSON pointer of the text." }),
});
export const xliffOutcome = Type.Object(
  {
    applied: count("Units whose targets were staged."),
    unchanged: count("Units whose targets are there already."),
    outdated: Type.Array(place, { description: "Units whose source has changed since the file was written." }),
    partial: Type.Array(place, { description: "Units of which some segments have no target." }),
    unknown: Type.Array(Type.String(), { description: "The names of units of texts that are not there." }),
    refused: Type.Array(
      Type.Object({
        id: Type.String({ description: "The id of the entry." }),
        code: Type.String({ description: "The code of the problem." }),
        detail: Type.String({ description: "What is wrong." }),
      }),
      { description: "Entries that could not be staged." },
    ),
  },
  { $id: "XliffOutcome", description: "What became of the units of a translators' file." },
);
