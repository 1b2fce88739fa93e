import { readFileSync } from "node:fs";

/** The flows of the table in docs/admin.md, with the clicks that they take. */
export const flowsOfDocs: ReadonlyMap<string, number> = new Map(
  [...readFileSync(new URL("../../docs/admin.md", import.meta.url), "utf8").matchAll(/^\| (.+?) \| (\d+) \|/gm)].map(
    ([, flow = "", clicks]) => [flow, Number(clicks)],
  ),
);

/** What docs/admin.md says that a flow takes. */
export function clicksOf(flow: string): number {
  const clicks = flowsOfDocs.get(flow);
  if (clicks === undefined) throw new Error(`docs/admin.md has no flow “${flow}”`);
  return clicks;
}
