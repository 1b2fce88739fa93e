/** The verbs of events by noun. Made by npm run docs out of the features' events. */
export const eventVerbs: Readonly<Record<string, string>> = {
  token: "create update rotate revoke",
  entry: "create update move copy delete undelete restore stage discard schedule publish publish_failed live",
  folder: "create move copy delete undelete",
  file: "upload update move copy delete undelete restore",
  session: "start end",
  role: "put delete",
  person: "create update link join delete",
  passkey: "create delete",
  registry: "set delete restore",
  trash: "purge",
  type: "put delete",
  view: "put delete",
  webhook: "create update rotate delete failed",
  release: "create update delete schedule publish publish_failed undo",
};
