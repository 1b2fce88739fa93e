import { addProblems } from "../core/problem.ts";
import { quote, row } from "../core/problem-row.ts";

/** The failures of what agents ask for. */

export const agentProblems = addProblems({
  origin_refused: row(
    "forbidden",
    "Origin refused",
    (p: { received: string }) =>
      `"Origin" was ${quote(p.received)}; expected none, that of the service, or one that the setting cors_origin names`,
  ),
  upload_link_invalid: row(
    "gone",
    "Upload link invalid",
    () =>
      '"code" is unknown, used or too old, or its token is; expected that of a link which was made a short while ago',
    "code",
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof agentProblems> {}
}

export { problem } from "../core/problem.ts";
