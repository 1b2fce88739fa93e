import { Menu } from "@mantine/core";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { deleteRelease, type Release, renameRelease } from "../api/release.ts";
import { say } from "../language/say.ts";
import { rereadAll } from "../query/entry.ts";
import { rereadReleases } from "../query/releases.ts";
import { useWritesLive } from "../session-context.ts";
import { Confirm, FormDialog } from "../ui/dialog.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { refresh } from "../ui/query.ts";
import { RemovalItem, RowMenu } from "../ui/row-menu.tsx";
import { TitleInput } from "./add-dialog.tsx";

/** Renames and deletes a release. */
export function ReleaseMenu({ release }: { release: Release }) {
  const [asked, setAsked] = useState<"rename" | "delete">();
  const close = (): void => setAsked(undefined);
  const { id, title, state } = release;
  const remove = async (): Promise<void> => {
    await deleteRelease(id);
    go(addressOf("releases"), "replace");
    // Not the release itself.
    await Promise.all([refresh("releases", "staged"), rereadAll()]);
  };
  if (!useWritesLive()) return null;
  return (
    <>
      <RowMenu name={title}>
        <Menu.Item
          leftSection={<Pencil size={15} />}
          disabled={state === "published"}
          onClick={() => setAsked("rename")}
        >
          {say("Rename…")}
        </Menu.Item>
        <RemovalItem label={say("Delete…")} disabled={state === "scheduled"} onClick={() => setAsked("delete")} />
      </RowMenu>
      {asked === "rename" && <Rename release={release} onClose={close} />}
      {asked === "delete" && (
        <Confirm title={say("Delete {title}?", { title })} submit={say("Delete")} onSubmit={remove} onClose={close}>
          {state === "published"
            ? say("What it published stays on the site, and cannot be undone together any more.")
            : say("Its drafts and changes stay, each by itself.")}
        </Confirm>
      )}
    </>
  );
}

function Rename({ release: { id, title: before }, onClose }: { release: Release; onClose(): void }) {
  const [title, setTitle] = useState(before);
  const rename = async (): Promise<void> => {
    await renameRelease(id, title.trim());
    await rereadReleases();
  };
  return (
    <FormDialog
      title={say("Rename {before}", { before })}
      submit={say("Rename")}
      isDisabled={title.trim() === ""}
      onSubmit={rename}
      onClose={onClose}
    >
      <TitleInput value={title} onChange={setTitle} />
    </FormDialog>
  );
}
