import { Alert } from "@mantine/core";
import { useEffect, useMemo, useState } from "react";
import { say } from "../language/say.ts";
import { renderMarkdown, sanitise } from "./markdown.ts";

type Rendered = { html: string | undefined } | { error: unknown };

/** Markdown as a reader sees it; what was rendered last stays until the next is ready. A boundary shows its faults. */
export function Prose({ text }: { text: string }) {
  const [shown, setShown] = useState<Rendered>();
  useEffect(() => {
    let isOver = false;
    renderMarkdown(text).then(
      (html) => isOver || setShown({ html }),
      (error: unknown) => isOver || setShown({ error }),
    );
    return () => {
      isOver = true;
    };
  }, [text]);
  if (shown && "error" in shown) throw shown.error;
  if (shown && shown.html === undefined)
    return (
      <Alert color="yellow" title={say("No preview of this text")} role="status">
        {say("It takes too long to be drawn, or is nested too deep. Your text is unchanged.")}
      </Alert>
    );
  return <Sanitised html={shown?.html ?? ""} />;
}

/** HTML as a reader sees it. */
export const HtmlProse = ({ text }: { text: string }) => <Sanitised html={useMemo(() => sanitise(text), [text])} />;

const Sanitised = ({ html }: { html: string }) => (
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised in markdown.ts, and the page's policy runs no script.
  <div className="prose" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />
);
