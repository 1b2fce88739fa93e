import {
  FileArchive,
  FileAudio,
  FileCode,
  FileImage,
  FileSpreadsheet,
  FileText,
  FileVideo,
  type LucideIcon,
} from "lucide-react";
import { useState } from "react";
import { type File, isPicture, thumbnailUrl } from "../api/file.ts";

const icons: [RegExp, LucideIcon][] = [
  [/^image\//, FileImage],
  [/^video\//, FileVideo],
  [/^audio\//, FileAudio],
  [/csv|sheet|excel/, FileSpreadsheet],
  [/zip|tar|compress/, FileArchive],
  [/json|javascript|html|css|xml/, FileCode],
];

type ThumbnailProps = { file: File; width: number; height: number };

/** A thumbnail from the image API; an icon of the file type for other files and when drawing fails. */
export function Thumbnail({ file, width, height }: ThumbnailProps) {
  const [isBroken, setBroken] = useState(false);
  if (isPicture(file) && !isBroken) {
    return <img src={thumbnailUrl(file, width, height)} alt="" loading="lazy" onError={() => setBroken(true)} />;
  }
  const Icon = icons.find(([pattern]) => pattern.test(file.type))?.[1] ?? FileText;
  return (
    <span className="thumb-icon" aria-hidden>
      <Icon size={Math.min(34, height * 0.6)} strokeWidth={1.3} />
      {height > 60 && <small>{file.extension}</small>}
    </span>
  );
}
