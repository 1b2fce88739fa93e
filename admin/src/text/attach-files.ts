import { invertedEffects } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, Facet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import { findUpload, type Upload, upload, watchUploads } from "../file/uploads.ts";
import { say } from "../language/say.ts";
import { droppedFiles, pastedFiles } from "../ui/code-editor.tsx";
import { linkFiles } from "./drawn/table-widget.ts";
import { linkMark, pictureMark } from "./markdown-marks.ts";

/**
 * Uploads dropped or pasted files to the folder, and links them at the drop position, outside of words and links. During
 * the upload a placeholder with the file's name is shown there; it moves with the text around it and is not part of it.
 */
export const attachFiles = (folder: string): Extension => [
  uploadFolder.of(folder),
  places,
  restoredPlaces,
  followUploads,
  linkFiles.of((view, files, at) => {
    attach(
      view,
      files.map((file) => ({ file, at })),
    );
  }),
  EditorView.domEventHandlers({
    // Without it the browser drops nothing there.
    dragover: ({ dataTransfer }) => dataTransfer?.types.includes("Files") ?? false,
    drop: (event, view) => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      return put(view, droppedFiles(event), at === null ? view.state.doc.length : outside(view.state, at));
    },
    paste: (event, view) => put(view, pastedFiles(event), view.state.selection.main.to),
  }),
];

const uploadFolder = Facet.define<string>();

/** Asks what a picture shows that stands in the text without words. */
export const askWords = Facet.define<(path: string) => void>();

/** Gives a picture its words, where it still has none. */
export function describePicture(view: EditorView, path: string, words: string): void {
  const at = view.state.doc.toString().indexOf(pictureMark(path, ""));
  if (at < 0) return;
  const change = { from: at, to: at + pictureMark(path, "").length, insert: pictureMark(path, words) };
  view.dispatch({ changes: change, userEvent: "input" });
}

/** The edge of what stands there that is nearer, where a file would land inside of it. */
function outside(state: EditorState, at: number): number {
  let range = state.wordAt(at) ?? { from: at, to: at };
  for (let node = syntaxTree(state).resolveInner(at, 0).cursor(); inlineNodes.test(node.name); ) {
    if (node.from < range.from || node.to > range.to) range = { from: node.from, to: node.to };
    if (!node.parent()) break;
  }
  const { from, to } = range;
  if (at <= from || at >= to) return at;
  return at - from < to - at ? from : to;
}

const inlineNodes = /^(?:Link|Image|URL|Autolink|InlineCode|Emphasis|StrongEmphasis|Strikethrough|\w+Mark|HTMLTag)$/;

/** `words` of a picture are known where it was described before. */
type InsertPosition = { id: number; at: number; words?: string };

const begin = StateEffect.define<InsertPosition>({
  map: (place, changes) => ({ ...place, at: changes.mapPos(place.at, 1) }),
});
const end = StateEffect.define<number>();

/** The positions of links whose uploads are not complete yet. */
const places = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { changes, effects }) {
    let now = before.map(changes);
    for (const effect of effects) {
      if (effect.is(begin)) now = now.update({ add: [widgetOf(effect.value).range(effect.value.at)] });
      if (effect.is(end)) now = now.update({ filter: (_from, _to, { spec }) => spec.id !== effect.value });
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A place that goes with the text around it comes back with it, by undo and redo. */
const restoredPlaces = invertedEffects.of(({ startState, changes }) => {
  const before = startState.field(places);
  const kept = new Set(placesOf(before.map(changes)).map(({ id }) => id));
  return placesOf(before).flatMap((place) => (kept.has(place.id) ? [] : begin.of(place)));
});

const widgetOf = ({ id, words }: InsertPosition): Decoration =>
  Decoration.widget({ widget: new Waiting(id), side: 1, id, words });

class Waiting extends WidgetType {
  readonly #id: number;
  constructor(id: number) {
    super();
    this.#id = id;
  }
  override eq(other: Waiting): boolean {
    return other.#id === this.#id;
  }
  override toDOM(): HTMLElement {
    const element = document.createElement("span");
    element.className = "cm-upload";
    element.dataset.upload = String(this.#id);
    element.textContent = describe(findUpload(this.#id));
    return element;
  }
}

const describe = (found: Upload | undefined): string => {
  if (found?.state === "failed" || found?.state === "cancelled")
    return say("{name} was not uploaded", { name: found.file.name });
  return say("Uploading {name}…", { name: found?.file.name });
};

/** Starts the uploads, each on its own line. Returns false if there are none. */
function put(view: EditorView, files: globalThis.File[], at: number): boolean {
  if (files.length === 0) return false;
  view.dispatch({ changes: { from: at, insert: "\n".repeat(files.length - 1) } });
  return attach(
    view,
    files.map((file, i) => ({ file, at: at + i })),
  );
}

/** Uploads files to places of the text, and says whether this text has a folder for them. */
export function attach(view: EditorView, files: { file: globalThis.File; at: number; words?: string }[]): boolean {
  const [folder] = view.state.facet(uploadFolder);
  if (folder === undefined) return false;
  const ids = upload(
    folder,
    files.map(({ file }) => file),
  );
  view.dispatch({ effects: files.map(({ file, ...place }, i) => begin.of({ id: ids[i] as number, ...place })) });
  return true;
}

const followUploads = ViewPlugin.define((view) => ({
  destroy: watchUploads(() => follow(view)),
  update({ transactions }) {
    // The upload of a place that comes back may have ended meanwhile. A view cannot change while it is updated.
    const hasBegun = transactions.some(({ effects }) => effects.some((effect) => effect.is(begin)));
    if (hasBegun) queueMicrotask(() => follow(view));
  },
}));

/** Inserts links to finished uploads, before the cursor; drops those that were cleared from the list of uploads. */
function follow(view: EditorView): void {
  for (const { id, at, words = "" } of placesOf(view.state.field(places))) {
    const found = findUpload(id);
    if (found === undefined || found.path !== undefined) {
      const insert = found?.path === undefined ? "" : apart(view.state, at, linkTo(found.file, found.path, words));
      const { empty, head } = view.state.selection.main;
      const selection = empty && head === at ? { anchor: at + insert.length } : undefined;
      view.dispatch({ changes: { from: at, insert }, selection, effects: end.of(id), userEvent: "input" });
      if (insert !== "" && words === "" && isImage(found?.file)) view.state.facet(askWords)[0]?.(found?.path ?? "");
    } else {
      const element = view.dom.querySelector(`[data-upload="${id}"]`);
      if (element && element.textContent !== describe(found)) element.textContent = describe(found);
    }
  }
}

/** Last position first: an inserted link does not shift the others. */
function placesOf(set: DecorationSet): InsertPosition[] {
  const found: InsertPosition[] = [];
  set.between(0, Number.MAX_SAFE_INTEGER, (at, _to, { spec }) => {
    found.unshift({ id: spec.id, at, words: spec.words });
  });
  return found;
}

const isImage = (file: Pick<globalThis.File, "type"> | undefined): boolean => file?.type.startsWith("image/") === true;

/** An image is embedded, any other file is linked. */
function linkTo(file: Pick<globalThis.File, "type">, path: string, words: string): string {
  return isImage(file) ? pictureMark(path, words) : linkMark(path, path.slice(path.lastIndexOf("/") + 1));
}

/** With a blank to a letter before and after it. */
function apart({ doc }: EditorState, at: number, text: string): string {
  const isLetter = (char: string): boolean => /[\p{L}\p{N}]/u.test(char);
  const [before, after] = [doc.sliceString(at - 1, at), doc.sliceString(at, at + 1)];
  return `${isLetter(before) ? " " : ""}${text}${isLetter(after) ? " " : ""}`;
}
