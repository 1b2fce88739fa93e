import { CloudUpload } from "lucide-react";
import { type DragEvent, type ReactNode, useState } from "react";

type DropProps = {
  label: string;
  /** Undefined where nothing is taken. */
  onFiles: ((files: globalThis.File[]) => void) | undefined;
  children: ReactNode;
};

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");

/** A drop zone for files around its children. The upload button is the accessible alternative. */
export function Drop({ label, onFiles, children }: DropProps) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent): void => {
    if (!hasFiles(event) || !onFiles) return;
    event.preventDefault();
    setOver(true);
  };
  const leave = (event: DragEvent): void => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
  };
  const drop = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    onFiles?.([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dragging has no role; the button does the same.
    <div className="drop" onDragOver={over} onDragLeave={leave} onDrop={drop}>
      {children}
      {isOver && (
        <div className="drop-veil" aria-hidden>
          <CloudUpload size={36} strokeWidth={1.4} />
          {label}
        </div>
      )}
    </div>
  );
}
