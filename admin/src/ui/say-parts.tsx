import { Fragment, type ReactNode } from "react";
import { piecesOf } from "../language/say.ts";

/** A text with parts of the page in its places, as a link or what is in bold. */
export const sayParts = (text: string, parts: Readonly<Record<string, ReactNode>>): ReactNode =>
  piecesOf(text).map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: The pieces of a text keep their places.
    <Fragment key={at}>{at % 2 === 1 ? parts[piece] : piece}</Fragment>
  ));
