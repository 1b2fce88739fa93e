import { Input } from "@mantine/core";
import { useCallback, useContext, useRef } from "react";
import { ContentEditor } from "../field/content-editor.tsx";
import type { ShapeOf } from "../model/form/schema.ts";
import { CodeEditor } from "../ui/code-editor.tsx";
import { type ControlProps, FormContext } from "./context.ts";
import { useLabel } from "./label.ts";
import { useText } from "./text.tsx";

/** Markdown with its toolbar and preview, or HTML as source. */
export function Prose(props: ControlProps<ShapeOf<"prose">>) {
  const { shape, label } = props;
  const { slug } = useContext(FormContext);
  const { text, set } = useText(props as never);
  const { error, description } = useLabel(props);
  // Stable: the editor renders only when its text changes.
  const latest = useRef(set);
  latest.current = set;
  const change = useCallback((changed: string) => latest.current(changed), []);
  if (shape.language === "html")
    return (
      <Input.Wrapper
        label={label}
        description={description}
        error={error}
        labelElement="div"
        withAsterisk={props.isRequired}
      >
        <CodeEditor language="text" label={label} value={text} minHeight={140} maxHeight={420} onChange={change} />
      </Input.Wrapper>
    );
  return (
    <Input.Wrapper description={description} error={error} inputWrapperOrder={["input", "description", "error"]}>
      <ContentEditor slug={slug} label={label} value={text} onChange={change} />
    </Input.Wrapper>
  );
}
