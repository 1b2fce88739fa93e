import { useEffect, useState } from "react";

/** What a one-use link is for, as its code begins; others sign in at once. */
export type LinkPurpose = "owner" | "invite" | "reset";

export const purposeOf = (code: string): LinkPurpose | undefined =>
  /^(owner|invite|reset)-/.exec(code)?.[1] as LinkPurpose | undefined;

/** The code of a link in the URL, at the start or later; removed from the URL to keep it out of the history. */
export function useLinkCode(): [code: string | undefined, drop: () => void] {
  const [code, setCode] = useState<string>();
  useEffect(() => {
    const take = (): void => {
      const [, found] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
      if (found === undefined) return;
      history.replaceState(null, "", location.pathname);
      setCode(found);
    };
    take();
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  return [code, () => setCode(undefined)];
}
