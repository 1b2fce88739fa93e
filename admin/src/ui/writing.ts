import { createContext, useContext } from "react";
import { isFromTheRight } from "../model/locale.ts";

/** The attributes of what is written in: its language, and where an empty one begins. */
export type Writing = { dir: "auto" | "rtl"; lang?: string };

/** A text alone says from which side it is written. */
export const WritingContext = createContext<Writing>({ dir: "auto" });

export const useWriting = (): Writing => useContext(WritingContext);

export const writingOf = (locale: string): Writing => ({ dir: isFromTheRight(locale) ? "rtl" : "auto", lang: locale });
