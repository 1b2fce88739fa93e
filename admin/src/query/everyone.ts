import { useQuery } from "@tanstack/react-query";
import type { Person } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";

async function readAll(): Promise<Person[]> {
  const all: Person[] = [];
  let cursor: string | undefined;
  do {
    const page = await octavo.people.list({ limit: 1000, cursor });
    all.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return all;
}

/** Everybody, where more than a page of the list is needed. */
export const useEveryone = () => useQuery({ queryKey: ["people", "all"], queryFn: readAll });

export const nameOf = ({ name, email }: Pick<Person, "name" | "email">): string => name || email;
