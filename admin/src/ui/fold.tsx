import { type ReactNode, useState } from "react";

type FoldProps = { title: string; isOpen?: boolean; children: ReactNode };

/** A part that few need, folded away below its title. What was shown once stays mounted. */
export function Fold({ title, isOpen = false, children }: FoldProps) {
  const [wasOpen, setWasOpen] = useState(isOpen);
  return (
    <details
      className="fold"
      open={isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open) setWasOpen(true);
      }}
    >
      <summary>{title}</summary>
      {wasOpen && <div className="fold-inside">{children}</div>}
    </details>
  );
}
