import type { Access } from "../../../domain/access.ts";

/**
 * The rules of domain/visibility.ts as SQL; ?2 is the time of the access, present for every access so that all texts have
 * the same parameters.
 */

const none = "CAST(?2 AS BIGINT) IS NULL";
const all = "CAST(?2 AS BIGINT) IS NOT NULL";

/** SQL for isListed. */
export const isListedSql = ({ reads }: Access): string => listed[reads];
const listed: Record<Access["reads"], string> = {
  nothing: none,
  public: "visibility = 'visible' AND published_at <= ?2",
  preview: all,
  management: all,
  staged: all,
};

/** SQL for isPublic at the time in the parameter. */
export function isPublicSql(parameter: string): string {
  return `visibility <> 'draft' AND published_at <= ${parameter}`;
}

/** SQL for isReadable. */
export const isReadableSql = ({ reads }: Access): string => readable[reads];
const readable: Record<Access["reads"], string> = {
  ...listed,
  public: isPublicSql("?2"),
};
