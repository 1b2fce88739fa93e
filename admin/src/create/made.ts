import { forgetOpeners } from "../ui/focus.ts";

let made: string | undefined;

/** An entry was just made in a dialog: the focus goes to its form, and not back to what opened the dialog. */
export function tellMade(slug: string): void {
  made = slug;
  forgetOpeners();
}

/** The entry that was just made, once. */
export function takeMade(): string | undefined {
  const taken = made;
  made = undefined;
  return taken;
}
