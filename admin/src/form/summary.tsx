import { Alert, UnstyledButton } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import type { DataFault } from "../../../client/src/client.ts";
import type { Json } from "../api/json.ts";
import { sayMany } from "../language/say.ts";
import { pathLabel } from "../model/form/faults.ts";
import type { Shape } from "../model/form/schema.ts";
import { wordsOf } from "./context.ts";

type SummaryProps = {
  faults: readonly DataFault[];
  shape: Shape;
  data: Json;
  title: string;
  onGo(pointer: string): void;
};

/** What was refused, one line for each field; a line moves the focus there. It takes the focus when it appears. */
export function Summary({ faults, shape, data, title, onGo }: SummaryProps) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.focus(), []);
  return (
    <Alert
      ref={alert}
      tabIndex={-1}
      color="red"
      icon={<CircleAlert size={18} />}
      title={sayMany(
        faults.length,
        "{title}: {count} field does not fit the type",
        "{title}: {count} fields do not fit the type",
        { title },
      )}
      role="alert"
      className="typed-summary"
    >
      <ul>
        {faults.map((fault) => (
          <li key={`${fault.pointer} ${fault.rule}`}>
            <UnstyledButton className="typed-jump" onClick={() => onGo(fault.pointer)}>
              {pathLabel(shape, data, fault.pointer)}
            </UnstyledButton>
            {`: ${wordsOf(fault)}`}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

const frames = 30;

/** Focuses the control at the pointer, or the one around it, once what it is in has opened. */
export function focusAt(host: HTMLElement, pointer: string): void {
  let left = frames;
  const look = (): void => {
    const exact = controlAt(host, pointer);
    if (!exact && left-- > 0) requestAnimationFrame(look);
    else focusControl(exact ?? nearest(host, pointer));
  };
  // After what is rendered next.
  requestAnimationFrame(look);
}

function controlAt(host: HTMLElement, pointer: string): HTMLElement | null {
  const found = host.querySelector<HTMLElement>(`[data-pointer="${CSS.escape(pointer)}"]`);
  return found?.checkVisibility() ? found : null;
}

function nearest(host: HTMLElement, pointer: string): HTMLElement {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const found = controlAt(host, at);
    if (found) return found;
  }
  return host;
}

const focusable = "input:not(:disabled), textarea, select, [contenteditable=true], button:not(:disabled)";

function focusControl(element: HTMLElement): void {
  const control = element.querySelector<HTMLElement>(focusable);
  control?.focus({ preventScroll: true });
  (control ?? element).scrollIntoView({ block: "center" });
}
