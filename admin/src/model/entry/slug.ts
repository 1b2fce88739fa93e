import slugify from "@sindresorhus/slugify";

/** The last part of an id, from a title: lower-case ASCII letters, digits and hyphens; scripts that have no such form stay. */
export const slugOf = (title: string): string =>
  slugify(title, { decamelize: false, customReplacements: [["&", " "]] }) || lettersOf(title);

const lettersOf = (title: string): string =>
  title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
