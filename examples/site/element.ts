type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

/** An element with attributes and children. Texts stay texts, whatever they hold; what is undefined or false is left out. */
export function element(name: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return made;
}

/** Calls back once a person has stopped typing for a moment. */
export function onPause(input: HTMLElement, callBack: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(callBack, 150);
  });
}
