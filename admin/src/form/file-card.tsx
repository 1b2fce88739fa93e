import { ActionIcon, Anchor, Button, Group, Text, Tooltip } from "@mantine/core";
import { Pencil, X } from "lucide-react";
import { type File, isPicture } from "../api/file.ts";
import { Thumbnail } from "../file/thumbnail.tsx";
import { say } from "../language/say.ts";
import { formatSize } from "../model/format.ts";
import { fileAddress } from "../ui/file-address.ts";
import { Link } from "../ui/location.tsx";

type FileCardProps = {
  label: string;
  file: File;
  path: string;
  /** A larger picture is shown below. */
  isPictured: boolean;
  isReadOnly: boolean;
  onReplace(): void;
  onEdit(): void;
  onClear(): void;
};

/** The file that a field holds: its picture or an icon, its name and size. */
export function FileCard({ label, file, path, isPictured, isReadOnly, ...act }: FileCardProps) {
  return (
    <Group gap="sm" wrap="nowrap" className="entry-card" role="group" aria-label={`${label}: ${file.filename}`}>
      {!(isPictured && isPicture(file)) && (
        <span className="field-file">
          <Thumbnail file={file} width={48} height={36} />
        </span>
      )}
      <div className="name-lines">
        <Anchor component={Link} href={fileAddress(path)} size="sm" className="typed-link" dir="auto">
          {file.filename}
        </Anchor>
        <Text component="small" size="xs" c="dimmed" truncate title={path}>
          {formatSize(file)}
        </Text>
      </div>
      {!isReadOnly && (
        <>
          <Button
            size="compact-sm"
            variant="default"
            onClick={act.onReplace}
            aria-label={say("Replace {label}", { label })}
          >
            {say("Replace")}
          </Button>
          <Tooltip label={say("Edit the path")}>
            <ActionIcon onClick={act.onEdit} aria-label={say("Edit the path of {label}", { label })}>
              <Pencil size={15} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={say("Remove")}>
            <ActionIcon onClick={act.onClear} aria-label={say("Remove {label}", { label })}>
              <X size={15} />
            </ActionIcon>
          </Tooltip>
        </>
      )}
    </Group>
  );
}
