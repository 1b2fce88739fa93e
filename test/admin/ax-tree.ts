import type { Page } from "playwright-core";

type Value = { value?: unknown };
type Node = {
  nodeId: string;
  childIds?: string[];
  ignored: boolean;
  role?: Value;
  name?: Value;
  properties?: { name: string; value: Value }[];
};

/** What Chromium tells programs that read the page aloud of an element, in its order: roles, with the level, and names. */
export async function axNodes(page: Page, name: string): Promise<[role: string, name: string][]> {
  const client = await page.context().newCDPSession(page);
  const { nodes } = (await client.send("Accessibility.getFullAXTree")) as { nodes: Node[] };
  await client.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const found: [string, string][] = [];
  const visit = (node: Node | undefined): void => {
    for (const id of node?.childIds ?? []) {
      const child = byId.get(id);
      if (child && !child.ignored && child.role?.value !== "InlineTextBox") found.push(said(child));
      visit(child);
    }
  };
  visit(nodes.find((node) => node.role?.value === "textbox" && node.name?.value === name));
  return found;
}

function said({ role, name, properties }: Node): [string, string] {
  const level = role?.value === "heading" && properties?.find((property) => property.name === "level")?.value.value;
  const shown = role?.value === "StaticText" ? "text" : String(role?.value);
  return [level ? `${shown} ${level}` : shown, String(name?.value ?? "")];
}
