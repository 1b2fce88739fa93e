import type { ReactNode } from "react";

type FoldProps = { title: string; isOpen?: boolean; children: ReactNode };

/** A part that few need, folded away below its title. */
export function Fold({ title, isOpen = false, children }: FoldProps) {
  return (
    <details className="fold" open={isOpen}>
      <summary>{title}</summary>
      <div className="fold-inside">{children}</div>
    </details>
  );
}
