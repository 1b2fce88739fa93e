import { Fragment } from "react";
import type { MarkedText } from "../model/entry/excerpt.ts";

/** A text with what was found in it marked. */
export function Marked({ text, ranges }: MarkedText) {
  let at = 0;
  const parts = ranges.map(([from = 0, to = 0]) => {
    const plain = text.slice(at, from);
    at = to;
    return (
      <Fragment key={from}>
        {plain}
        <mark>{text.slice(from, to)}</mark>
      </Fragment>
    );
  });
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
}
