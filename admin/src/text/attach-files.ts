import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import { findUpload, type Upload, upload, watchUploads } from "../file/uploads.ts";
import { droppedFiles, pastedFiles } from "../ui/code-editor.tsx";
import { linkMark, pictureMark } from "./markdown-marks.ts";

/**
 * Uploads dropped or pasted files to the folder, and links them at the drop position. During the upload a placeholder
 * with the file's name is shown there; it moves with the text around it and is not part of it.
 */
export const attachFiles = (folder: string): Extension => [
  places,
  followUploads,
  EditorView.domEventHandlers({
    // Without it the browser drops nothing there.
    dragover: ({ dataTransfer }) => dataTransfer?.types.includes("Files") ?? false,
    drop: (event, view) => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      return put(view, folder, droppedFiles(event), at ?? view.state.doc.length);
    },
    paste: (event, view) => put(view, folder, pastedFiles(event), view.state.selection.main.to),
  }),
];

type InsertPosition = { id: number; at: number };

const begin = StateEffect.define<InsertPosition>();
const end = StateEffect.define<number>();

/** The positions of links whose uploads are not complete yet. */
const places = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { changes, effects }) {
    let now = before.map(changes);
    for (const effect of effects) {
      if (effect.is(begin)) now = now.update({ add: [widgetOf(effect.value.id).range(effect.value.at)] });
      if (effect.is(end)) now = now.update({ filter: (_from, _to, { spec }) => spec.id !== effect.value });
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const widgetOf = (id: number): Decoration => Decoration.widget({ widget: new Waiting(id), side: 1, id });

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
  if (found?.state === "failed" || found?.state === "cancelled") return `${found.file.name} was not uploaded`;
  return `Uploading ${found?.file.name}…`;
};

/** Starts the uploads, each on its own line. Returns false if there are none. */
function put(view: EditorView, folder: string, files: globalThis.File[], at: number): boolean {
  if (files.length === 0) return false;
  const effects = upload(folder, files).map((id, i) => begin.of({ id, at: at + i }));
  view.dispatch({ changes: { from: at, insert: "\n".repeat(files.length - 1) }, effects });
  return true;
}

const followUploads = ViewPlugin.define((view) => ({ destroy: watchUploads(() => follow(view)) }));

/** Inserts links to finished uploads, and drops those that were cleared from the list of uploads. */
function follow(view: EditorView): void {
  for (const { id, at } of placesIn(view)) {
    const found = findUpload(id);
    if (found === undefined || found.path !== undefined) {
      const insert = found?.path === undefined ? "" : linkTo(found.file, found.path);
      view.dispatch({ changes: { from: at, insert }, effects: end.of(id), userEvent: "input" });
    } else {
      const element = view.dom.querySelector(`[data-upload="${id}"]`);
      if (element && element.textContent !== describe(found)) element.textContent = describe(found);
    }
  }
}

/** Last position first: an inserted link does not shift the others. */
function placesIn(view: EditorView): InsertPosition[] {
  const found: InsertPosition[] = [];
  view.state.field(places).between(0, view.state.doc.length, (at, _to, { spec }) => {
    found.unshift({ id: spec.id, at });
  });
  return found;
}

/** An image is embedded, any other file is linked. */
function linkTo({ type }: Pick<globalThis.File, "type">, path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return type.startsWith("image/") ? pictureMark(path, name.replace(/\.\w+$/, "")) : linkMark(path, name);
}
