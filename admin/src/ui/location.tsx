import type { AnchorHTMLAttributes, MouseEvent, ReactNode, Ref } from "react";
import { storeOf } from "./store.ts";

/** The router: the URL below /admin, read from and written to the browser's history. */
export type PageAddress = {
  /** The first segment: which page. */
  page: string;
  /** The rest, decoded: a slug or a path. */
  path: string;
  search: URLSearchParams;
};

const base = "/admin";
const place = storeOf(readPlace());
/** A guard that runs before the page is left; returns whether to leave. */
let guard: ((leave: () => void) => boolean) | undefined;

function readPlace(): PageAddress {
  const [page = "", ...rest] = location.pathname.slice(base.length + 1).split("/");
  const path = rest.map(decodeURIComponent).join("/").replace(/\/$/, "");
  return { page, path, search: new URLSearchParams(location.search) };
}

const change = (): void => place.set(readPlace());

let shown = location.href;
addEventListener("popstate", () => {
  const wanted = location.href;
  const leave = () => {
    guard = undefined;
    history.pushState(null, "", wanted);
    shown = wanted;
    change();
  };
  if (guard && !guard(leave)) history.pushState(null, "", shown);
  else {
    shown = wanted;
    change();
  }
});

export const usePlace = place.use;

/** Guards the page: `ask` returns true to leave at once; otherwise it calls `leave` when the user agrees. */
export function guardLeaving(ask: (leave: () => void) => boolean): () => void {
  guard = ask;
  return () => {
    if (guard === ask) guard = undefined;
  };
}

/** Leaves the app, for signing out: at once, or when the user agrees. */
export function leaveApp(leave: () => void): void {
  const free = (): void => {
    guard = undefined;
    leave();
  };
  if (!guard || guard(free)) free();
}

/** What is left with what was typed there: an entry in another language is another page. */
function pageOf(address: string): string {
  const { pathname, searchParams } = new URL(address, location.href);
  return `${pathname} ${searchParams.get("locale") ?? ""}`;
}

/** Navigates to a page; `replace` adds no history entry. */
export function go(to: string, how: "push" | "replace" = "push"): void {
  const leave = () => {
    guard = undefined;
    if (how === "push") history.pushState(null, "", to);
    else history.replaceState(null, "", to);
    shown = location.href;
    change();
  };
  if (to === location.pathname + location.search) return;
  const isSamePage = pageOf(to) === pageOf(location.href);
  if (!guard || isSamePage || guard(leave)) {
    const kept = guard;
    leave();
    if (isSamePage) guard = kept;
  }
}

/** The URL of a page, with a path below it. */
export const addressOf = (page: string, path = "", search: Record<string, string> = {}): string => {
  const below = path === "" ? "" : `/${path.split("/").map(encodeURIComponent).join("/")}`;
  const query = new URLSearchParams(search).toString();
  return `${base}/${page}${below}${query === "" ? "" : `?${query}`}`;
};

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & {
  href: string;
  children?: ReactNode;
  ref?: Ref<HTMLAnchorElement>;
};

/** A link within the app, without a reload; opening it in a new tab or window still works. */
export function Link({ href, onClick, ref, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    go(href);
  };
  return <a ref={ref} href={href} onClick={follow} {...rest} />;
}
