import { type EditorView, WidgetType } from "@codemirror/view";
import { nameOf } from "../../api/path.ts";
import { say } from "../../language/say.ts";
import { entryTitle } from "./entry-titles.ts";

/** What stands in the place of source: each draws its element, and is the same as another of the same words. */

abstract class Drawn<T extends Record<string, unknown>> extends WidgetType {
  protected readonly of: T;
  constructor(of: T) {
    super();
    this.of = of;
  }
  override eq(other: Drawn<T>): boolean {
    return Object.entries(this.of).every(([name, value]) => other.of[name] === value);
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

function element(className: string, text = "", attributes: Record<string, string> = {}): HTMLElement {
  const made = document.createElement("span");
  made.className = className;
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** The bullet or the number of an item: the list says it already. */
export class Bullet extends Drawn<{ text: string }> {
  toDOM(): HTMLElement {
    return element("cm-bullet", this.of.text, { "aria-hidden": "true" });
  }
}

/** The number of a footnote before its text. */
export class FootnoteNumber extends Drawn<{ number: number }> {
  toDOM(): HTMLElement {
    return element("cm-bullet", `${this.of.number}.`);
  }
}

/** The number of the footnote that is referred to. */
export class FootnoteReference extends Drawn<{ number: number }> {
  toDOM(): HTMLElement {
    return footnoteReference(this.of.number);
  }
}

export function footnoteReference(number: number): HTMLElement {
  const made = document.createElement("sup");
  made.textContent = String(number);
  return made;
}

export class Rule extends Drawn<Record<never, never>> {
  toDOM(): HTMLElement {
    return element("cm-rule", "", { role: "separator" });
  }
}

/** Characters in the place of those that stand for them. */
export class Words extends Drawn<{ text: string }> {
  toDOM(): HTMLElement {
    return element("", this.of.text);
  }
}

/** A click, or the space bar, writes the other state. */
export class Checkbox extends Drawn<{ isChecked: boolean; isReadOnly: boolean }> {
  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.className = "cm-task";
    box.checked = this.of.isChecked;
    box.disabled = this.of.isReadOnly;
    box.ariaLabel = this.of.isChecked ? say("Done") : say("To do");
    box.addEventListener("change", () => {
      const at = view.posAtDOM(box);
      const insert = box.checked ? "x" : " ";
      view.dispatch({ changes: { from: at + 1, to: at + 2, insert }, userEvent: "input" });
    });
    return box;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

/** A picture, or what it shows where it cannot be read here. */
export class Picture extends Drawn<{ url: string | undefined; alt: string }> {
  toDOM(view: EditorView): HTMLElement {
    const { url, alt } = this.of;
    const words = (): HTMLElement =>
      element("cm-chip", alt || say("Picture"), { role: "img", "aria-label": alt || say("Picture") });
    if (url === undefined) return words();
    // The editor would read what takes the place of the element that it knows as a text that was written.
    const frame = element("");
    const picture = document.createElement("img");
    picture.className = "cm-picture";
    picture.alt = alt;
    picture.addEventListener("load", () => view.requestMeasure());
    picture.addEventListener("error", () => picture.replaceWith(words()));
    picture.src = url;
    frame.append(picture);
    return frame;
  }
}

/** The title of the entry that a link leads to, where the words of the link are others. */
export class EntryTitle extends Drawn<{ id: string; words: string }> {
  toDOM(view: EditorView): HTMLElement {
    const { id, words } = this.of;
    const chip = element("cm-chip", nameOf(id), { title: `/${id}` });
    void entryTitle(id).then((title) => {
      chip.textContent = title ?? `/${id}`;
      chip.hidden = title === words;
      view.requestMeasure();
    });
    return chip;
  }
}
