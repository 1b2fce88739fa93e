import { Button } from "@mantine/core";
import { parentOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { addressOf, Link } from "./location.tsx";

/** A link to the parent folder, for a missing file or folder. */
export function Above({ path }: { path: string }) {
  const folder = parentOf(path);
  return (
    <Button component={Link} href={addressOf("files", folder)} size="xs" variant="default">
      {say("Go to {folder}", { folder: folder || "media" })}
    </Button>
  );
}
