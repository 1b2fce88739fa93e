import { Button, Checkbox, Menu, Text, TextInput } from "@mantine/core";
import { Bookmark, BookmarkPlus, Trash2 } from "lucide-react";
import { useState } from "react";
import { say } from "../language/say.ts";
import { type EntryFilter, formatFilter } from "../model/filter/filter.ts";
import { messageOf } from "../model/message.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";
import { type SavedView, useViews } from "./views.ts";

type ViewsMenuProps = {
  /** What is shown, to be saved. */
  path: string;
  columns: readonly string[];
  filter: EntryFilter;
  onOpen(view: SavedView): void;
};

/** Opens, saves and deletes tables. */
export function ViewsMenu({ path, columns, filter, onOpen }: ViewsMenuProps) {
  const { views, maySave, save, remove } = useViews();
  const [isSaving, setSaving] = useState(false);
  const isShown = (view: SavedView): boolean =>
    view.path === path && view.columns.join() === columns.join() && formatFilter(view.filter) === formatFilter(filter);
  const shown = views.find(isShown);
  const take = async (view: SavedView): Promise<void> => {
    const tell = (title: string) => (error: unknown) =>
      notifyFailed(title, { failed: [view], message: messageOf(error) });
    try {
      await remove(view.id);
      offerUndo(say("Deleted the view"), view.title, () => void save(view).catch(tell(say("Not restored"))));
    } catch (error) {
      tell(say("Not deleted"))(error);
    }
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default" leftSection={<Bookmark size={15} />}>
            {shown?.title ?? say("Views")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: "auto" }}>
          {views.map((view) => (
            <Menu.Item key={view.id} onClick={() => onOpen(view)} aria-current={view === shown || undefined}>
              {view.title}
              <Text size="xs" c="dimmed" span display="block">
                {[view.path || say("All entries"), view.shared && say("shared by {name}", { name: view.owner_name })]
                  .filter(Boolean)
                  .join(", ")}
              </Text>
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item leftSection={<BookmarkPlus size={15} />} onClick={() => setSaving(true)}>
            {say("Save as a view…")}
          </Menu.Item>
          {shown?.isOwn && (
            <Menu.Item leftSection={<Trash2 size={15} />} onClick={() => void take(shown)}>
              {say("Delete this view")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isSaving && (
        <SaveDialog
          mayShare={maySave.shared}
          onSave={(form) => save({ ...form, path, columns, filter })}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  );
}

type SaveProps = {
  mayShare: boolean;
  onSave(form: { title: string; shared: boolean }): Promise<unknown>;
  onClose(): void;
};

function SaveDialog({ mayShare, onSave, onClose }: SaveProps) {
  const [title, setTitle] = useState("");
  const [isShared, setShared] = useState(false);
  return (
    <FormDialog
      title={say("Save as a view")}
      submit={say("Save")}
      isDisabled={title.trim() === ""}
      onSubmit={async () => void (await onSave({ title: title.trim(), shared: isShared }))}
      onClose={onClose}
    >
      <TextInput
        label={say("Title")}
        value={title}
        maxLength={200}
        onChange={(event) => setTitle(event.currentTarget.value)}
        data-autofocus
        required
      />
      <Text size="xs" c="dimmed">
        {say("The filter, the order and the columns that are shown now.")}
        {!mayShare && ` ${say("It is kept in this browser: you signed in with tokens.")}`}
      </Text>
      {mayShare && (
        <Checkbox
          label={say("For everybody")}
          description={say("All who may read these entries see it.")}
          checked={isShared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}
