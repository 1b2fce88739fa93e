type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

/** An element with attributes and children. Strings become text nodes, never HTML; undefined and false are omitted. */
export function element(name: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    // The policy of serve.ts forbids style attributes; what a script sets as a property is not one.
    if (key === "style") made.style.cssText = String(value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return made;
}

/** Calls back after a pause in typing. */
export function onPause(input: HTMLElement, callBack: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(callBack, 150);
  });
}
