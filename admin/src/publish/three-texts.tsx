import "./publish.css";
import type { ReactNode } from "react";
import type { Json } from "../api/json.ts";
import { ValueView } from "../history/value-view.tsx";
import { say } from "../language/say.ts";
import { fieldWords } from "../model/entry/field-words.ts";
import { nameIn, shapeIn } from "../model/form/named.ts";
import type { Shape } from "../model/form/schema.ts";
import { Segments } from "../ui/segments.tsx";

/** What the form of an entry calls a field, and how it shows values of it. */
export function inForm(key: string, shape: Shape | undefined): [name: string, show: (value: unknown) => ReactNode] {
  const words = fieldWords[key];
  const show = (value: unknown): ReactNode => {
    if (value === undefined) return say("Nothing");
    if (words?.show) return words.show(value as Json);
    return <ValueView value={value as Json} shape={shapeIn(shape, key)} />;
  };
  return [nameIn(shape, key) ?? words?.label ?? key, show];
}

type ThreeTextsProps<C extends string> = {
  name: string;
  /** By what they are. */
  texts: Readonly<Record<string, ReactNode>>;
  /** Which of them is kept. Absent: nothing can be chosen, only read. */
  question?: { label: string; options: Record<C, string>; choice: C; onChoose(choice: C): void } | undefined;
};

/** A field in the texts that it had and has, and the question which one is kept. */
export function ThreeTexts<C extends string>({ name, texts, question }: ThreeTextsProps<C>) {
  return (
    <section aria-label={name}>
      <h3 className="settle-name">{name}</h3>
      <dl className="settle-texts">
        {Object.entries(texts).map(([what, text]) => (
          <div key={what}>
            <dt>{what}</dt>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard, too. */}
            <dd dir="auto" tabIndex={0}>
              {text}
            </dd>
          </div>
        ))}
      </dl>
      {question && (
        <Segments
          label={question.label}
          options={question.options}
          value={question.choice}
          onChange={question.onChoose}
          fullWidth
        />
      )}
    </section>
  );
}
