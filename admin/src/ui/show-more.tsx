import { Button, Center } from "@mantine/core";
import { useEffect, useRef } from "react";

export type PagedList = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };

/** A button that loads the next page of a list, while there is one. */
export function ShowMore({ list }: { list: PagedList }) {
  const readOn = useReadOn(list);
  if (!list.hasNextPage) return null;
  return (
    <Center mt="md">
      <Button
        variant="default"
        loading={list.isFetchingNextPage}
        onClick={(event) => {
          const above = event.currentTarget.parentElement?.previousElementSibling;
          readOn([...(above?.querySelectorAll("tr, li") ?? [])].at(-1) ?? above?.lastElementChild);
        }}
      >
        Show more
      </Button>
    </Center>
  );
}

/** Loads the next page and focuses its first item: the button may be gone. */
export function useReadOn({
  isFetchingNextPage,
  fetchNextPage,
}: PagedList): (last: Element | null | undefined) => void {
  const before = useRef<Element>(undefined);
  useEffect(() => {
    if (isFetchingNextPage) return;
    const next = before.current?.nextElementSibling;
    next?.querySelector<HTMLElement>("a[href], button:not([aria-hidden]), input")?.focus();
    before.current = undefined;
  }, [isFetchingNextPage]);
  return (last) => {
    before.current = last ?? undefined;
    void fetchNextPage();
  };
}
