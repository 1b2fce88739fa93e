import { Anchor, Box, Button, Group, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { readEntry, titleOf } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { isForPictures } from "../picker/media.ts";
import { useMay } from "../session-context.ts";
import { addressOf, Link } from "../ui/location.tsx";
import type { ControlProps } from "./context.ts";
import { FileDrop } from "./file-drop.tsx";
import { useLabel } from "./label.ts";
import { PictureAlt } from "./picture-alt.tsx";
import type { ShapeOf } from "./schema.ts";
import { useText } from "./text.tsx";

const EntryPicker = lazy(async () => ({ default: (await import("../picker/entry-picker.tsx")).EntryPicker }));
const MediaPicker = lazy(async () => ({ default: (await import("../picker/media-picker.tsx")).MediaPicker }));

type ReferenceProps = ControlProps<ShapeOf<"text">>;

/** A reference to an entry: its id, its title, and a dialog to choose one. */
export function EntryInput(props: ReferenceProps) {
  const { text, set } = useText(props);
  const [isOpen, picker] = useDisclosure(false);
  return (
    <>
      <Reference {...props} text={text} onText={set} onChoose={picker.open} mayChoose={useMay("entries")} />
      {text !== "" && <EntryTitle id={text} />}
      {isOpen && (
        <Suspense>
          <EntryPicker types={props.shape.narrowed} onPick={set} onClose={picker.close} />
        </Suspense>
      )}
    </>
  );
}

const typingMs = 400;

/** The title of the entry that is referred to, as a link. */
function EntryTitle({ id: typed }: { id: string }) {
  const [id] = useDebouncedValue(typed, typingMs);
  const { data, error } = useQuery({
    queryKey: ["entry-title", id],
    queryFn: async () => titleOf((await readEntry(id)).entry),
    retry: false,
  });
  const isMissing = error instanceof OctavoProblem && error.status === 404;
  return (
    <Text size="xs" mt={4} mih={24} c="dimmed" truncate>
      {data !== undefined && (
        <Anchor component={Link} href={addressOf("entries", id)} size="xs" className="typed-link">
          {data}
        </Anchor>
      )}
      {isMissing && "There is no such entry."}
    </Text>
  );
}

const picture = /\.(jpe?g|png|webp|avif|gif|svg)$/i;

/** A reference to a file: its path, a thumbnail, and a dialog to choose one; a dropped file is uploaded. */
export function FileInput(props: ReferenceProps) {
  const { text, set } = useText(props);
  const [isOpen, picker] = useDisclosure(false);
  const maySee = useMay("files");
  const [asked, setAsked] = useState<string>();
  const choose = (path: string): void => {
    setAsked(path);
    set(path);
  };
  const isPicture = maySee && isForPictures(props.shape.narrowed) && picture.test(text) && !text.includes("://");
  return (
    <FileDrop media={props.shape.narrowed} onPath={choose}>
      <Reference {...props} text={text} onText={set} onChoose={picker.open} mayChoose={maySee}>
        {maySee && picture.test(text) && !text.includes("://") && (
          <img
            key={text}
            className="field-picture"
            src={octavo.imageUrl(text, { w: 96, h: 72, fit: "crop", fm: "webp" })}
            alt=""
            onError={(event) => event.currentTarget.remove()}
          />
        )}
      </Reference>
      {isPicture && <PictureAlt key={text} path={text} isAsked={asked === text} />}
      {isOpen && (
        <Suspense>
          <MediaPicker media={props.shape.narrowed} onPick={choose} onClose={picker.close} />
        </Suspense>
      )}
    </FileDrop>
  );
}

type PartProps = ReferenceProps & {
  text: string;
  mayChoose: boolean;
  onText(text: string): void;
  onChoose(): void;
  children?: ReactNode;
};

function Reference({ text, mayChoose, onText, onChoose, children, ...props }: PartProps) {
  const labels = useLabel(props);
  const row = (input: ReactNode): ReactNode => (
    <Group gap="xs" wrap="nowrap">
      {children}
      <Box flex={1} miw={0}>
        {input}
      </Box>
      {mayChoose && (
        <Button variant="default" px="sm" aria-label={`Choose ${props.label}`} onClick={onChoose}>
          Choose…
        </Button>
      )}
    </Group>
  );
  return (
    <TextInput
      {...labels}
      inputContainer={row}
      className="mono-input"
      spellCheck={false}
      placeholder={props.shape.example}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
}
