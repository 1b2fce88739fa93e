const verbs: Record<string, string> = {
  entry: "create update move copy delete undelete restore stage discard schedule publish publish_failed live",
  folder: "create move copy delete undelete",
  file: "upload update move copy delete undelete restore",
  registry: "set delete restore",
  type: "put delete",
  release: "create update delete schedule publish publish_failed undo",
  trash: "purge",
  token: "create update rotate revoke",
  session: "start end",
  role: "put delete",
  person: "create update link join delete",
  passkey: "create delete",
  view: "put delete",
  webhook: "create update rotate delete failed",
};

/** The kinds of events that this page knows; the log may have others. */
export const knownKinds = Object.entries(verbs).flatMap(([noun, all]) =>
  all.split(" ").map((verb) => `${noun}.${verb}`),
);

/** A kind is `<noun>.<verb>`. */
export function partsOf(kind: string): { noun: string; verb: string } {
  const [noun = "", verb = ""] = kind.split(".");
  return { noun, verb };
}

/** As a person reads it. */
export const labelOf = (kind: string): string => kind.replace(".", " ").replaceAll("_", " ");
