import { TagsInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { octavo } from "../api/octavo.ts";
import { parentOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { useMay } from "../session-context.ts";

type PathsInputProps = {
  value: string[];
  onChange(paths: string[]): void;
  /** What they limit; of a token if nothing else is said. */
  description?: string;
};

const ofTokens = say(
  "It is valid for entries and files at and below these paths only; none for all. Type a path and press Enter.",
);

const maxPaths = 16;
const maxSuggestions = 100;

/** Paths of a token or a role; suggests the children of what is typed. */
export function PathsInput({ value, onChange, description = ofTokens }: PathsInputProps) {
  const [text, setText] = useState("");
  const [settled] = useDebouncedValue(text, 200);
  const level = settled.endsWith("/") ? settled.slice(0, -1) : parentOf(settled);
  const { data: suggested = [] } = useQuery({
    queryKey: ["children", level, "suggested"],
    queryFn: () => octavo.entries.children(level, { limit: maxSuggestions }),
    enabled: useMay("entries"),
    retry: false,
  });
  return (
    <TagsInput
      label={say("Paths")}
      description={description}
      placeholder={value.length === 0 ? say("All") : undefined}
      data={suggested.map(({ slug }) => slug)}
      searchValue={text}
      onSearchChange={setText}
      value={value}
      onChange={(paths) => onChange(paths.map((path) => path.trim().replace(/^\/+|\/+$/g, "")).filter(Boolean))}
      maxTags={maxPaths}
      acceptValueOnBlur
      spellCheck={false}
      className="mono-input"
    />
  );
}
