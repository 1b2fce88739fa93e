import { useState } from "react";
import type { Json } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { useMay } from "../session-context.ts";

const picture = /\.(jpe?g|png|webp|avif|gif|svg)$/i;

/** The picture at a path; nothing for what is no picture of the service. */
export function Thumbnail({ path }: { path: Json | undefined }) {
  const [isBroken, setBroken] = useState(false);
  const mayRead = useMay("files");
  if (!mayRead || isBroken || typeof path !== "string" || !picture.test(path) || path.includes("://")) return null;
  return (
    <img
      className="typed-picture"
      src={octavo.imageUrl(path, { w: 48, h: 36, fit: "crop", dpr: 2, fm: "webp" })}
      alt=""
      loading="lazy"
      onError={() => setBroken(true)}
    />
  );
}
