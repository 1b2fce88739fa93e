import { Button, Center } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { say } from "../language/say.ts";

export type PagedList = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };

/** How near one is to the end of a list when more is loaded. */
const rootMargin = "800px 0px";

type ShowMoreProps = {
  list: PagedList /** Once it was asked for more, it loads the rest as one scrolls to it. */;
  goesOn?: boolean;
};

/** A button that loads the next page of a list, while there is one. */
export function ShowMore({ list, goesOn = false }: ShowMoreProps) {
  const readOn = useReadOn(list);
  const [isAsked, setAsked] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const isWaiting = goesOn && isAsked && hasNextPage && !isFetchingNextPage;
  useEffect(() => {
    if (!isWaiting || !button.current) return;
    const observer = new IntersectionObserver(([seen]) => seen?.isIntersecting && void fetchNextPage(), { rootMargin });
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [isWaiting, fetchNextPage]);
  if (!list.hasNextPage) return null;
  return (
    <Center mt="md">
      <Button
        ref={button}
        variant="default"
        loading={list.isFetchingNextPage}
        onClick={(event) => {
          setAsked(true);
          const above = event.currentTarget.parentElement?.previousElementSibling;
          readOn([...(above?.querySelectorAll("tr, li") ?? [])].at(-1) ?? above?.lastElementChild);
        }}
      >
        {say("Show more")}
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
    const { current } = before;
    // A table goes on in its next body.
    const next = current?.nextElementSibling ?? current?.closest("tbody")?.nextElementSibling?.firstElementChild;
    next?.querySelector<HTMLElement>("a[href], button:not([aria-hidden]), input")?.focus();
    before.current = undefined;
  }, [isFetchingNextPage]);
  return (last) => {
    before.current = last ?? undefined;
    void fetchNextPage();
  };
}
