import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { octavo } from "../../api/octavo.ts";
import type { SyntaxNode } from "./table-nodes.ts";

/** Where links and pictures of a text lead. */

type Tree = ReturnType<typeof syntaxTree>;

const defined = new WeakMap<Tree, Map<string, string>>();

/** The addresses of `[label]: address`, by label. */
function definitionsOf(state: EditorState): Map<string, string> {
  const tree = syntaxTree(state);
  const known = defined.get(tree);
  if (known) return known;
  const found = new Map<string, string>();
  for (const node of tree.topNode.getChildren("LinkReference")) {
    const [label, url] = [node.getChild("LinkLabel"), node.getChild("URL")];
    const key = label && keyOf(state.sliceDoc(label.from, label.to));
    if (key && url && !found.has(key)) found.set(key, addressIn(state, url));
  }
  defined.set(tree, found);
  return found;
}

/** All of them, as one text to compare. */
export const definedAddresses = (state: EditorState): string =>
  [...definitionsOf(state)].map((pair) => pair.join(" ")).join("\n");

const keyOf = (label: string): string =>
  label
    .replace(/^\[|\]$/g, "")
    .trim()
    .replace(/\s+/g, " ")
    .toLowerCase();

const addressIn = (state: EditorState, { from, to }: SyntaxNode): string =>
  state
    .sliceDoc(from, to)
    .replace(/^<(.*)>$/, "$1")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");

/** The address of a link or a picture; undefined for brackets that are none: their label is not defined. */
export function targetOf(state: EditorState, node: SyntaxNode): string | undefined {
  const [first, second] = node.getChildren("LinkMark");
  if (!first || !second) return undefined;
  const url = node.getChild("URL");
  if (url) return addressIn(state, url);
  if (state.sliceDoc(second.to, second.to + 1) === "(") return "";
  const label = node.getChild("LinkLabel");
  const written = label ? state.sliceDoc(label.from, label.to) : "[]";
  const key = keyOf(written) || keyOf(state.sliceDoc(first.to, second.from));
  return definitionsOf(state).get(key);
}

/** The id of the entry that an address leads to. Contract, part two, §10. */
export function entryIn(address: string): string | undefined {
  if (!/^\/(?!\/|project\/|api\/|admin(?:\/|$))./.test(address)) return undefined;
  return decoded(address.slice(1).replace(/[?#].*$/, "")).replace(/\/+$/, "") || undefined;
}

/** The width in which pictures are drawn in a text, twice over for dense screens. */
const pictureWidth = 1400;

/** Where a picture is read: as a rendition when the store has it; undefined for one that another site has. */
export function pictureUrl(address: string): string | undefined {
  const path = /^\/project\/uploads\/([^?#]+)/.exec(address)?.[1];
  if (path) return octavo.imageUrl(decoded(path), { w: pictureWidth, fit: "max" });
  if (!URL.canParse(address, location.href)) return undefined;
  const url = new URL(address, location.href);
  return url.origin === location.origin && address !== "" ? url.href : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
