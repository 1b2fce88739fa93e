import { Button } from "@mantine/core";
import { parentOf } from "../api/path.ts";
import { addressOf, Link } from "./location.tsx";

/** A link to the parent folder, for a missing file or folder. */
export function Above({ path }: { path: string }) {
  const folder = parentOf(path);
  return (
    <Button component={Link} href={addressOf("files", folder)} size="xs" variant="default">
      Go to {folder || "media"}
    </Button>
  );
}
