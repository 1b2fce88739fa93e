import { Anchor, Box, Button, Group, Input, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useContext, useState } from "react";
import { titleOf } from "../api/entry.ts";
import { say } from "../language/say.ts";
import type { ShapeOf } from "../model/form/schema.ts";
import { isForPictures } from "../model/media.ts";
import { foundQuery } from "../query/reference.tsx";
import { useMay } from "../session-context.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { ReadOnlyContext } from "../ui/read-only.ts";
import { type ControlProps, FormContext } from "./context.ts";
import { EntryCard } from "./entry-card.tsx";
import { FileCard } from "./file-card.tsx";
import { FileDrop } from "./file-drop.tsx";
import { useLabel } from "./label.ts";
import { fileQuery, PictureAlt } from "./picture-alt.tsx";
import { useText } from "./text.tsx";

const EntryPicker = lazy(async () => ({ default: (await import("../picker/entry-picker.tsx")).EntryPicker }));
const MediaPicker = lazy(async () => ({ default: (await import("../picker/media-picker.tsx")).MediaPicker }));

type ReferenceProps = ControlProps<ShapeOf<"text">>;

const typingMs = 400;
/** A click that takes the focus away ends first: the card has another height, and what is clicked would move. */
const clickMs = 250;

/** What both kinds of references have: the text, the dialog that chooses, and whether the text is typed. */
function useReference(props: ReferenceProps) {
  const { text, set } = useText(props);
  const [isOpen, picker] = useDisclosure(false);
  const [isTyping, typing] = useDisclosure(false);
  const isReadOnly = useContext(ReadOnlyContext) || props.shape.isReadOnly;
  const clear = (): void => {
    set("");
    typing.open();
  };
  const parts = {
    ...{ ...props, text, onText: set, onChoose: picker.open },
    ...{ isFocused: isTyping, onFocus: typing.open, onBlur: () => setTimeout(typing.close, clickMs) },
  };
  return { text, set, isOpen, picker, isTyping, typing, isReadOnly, clear, parts };
}

/** A reference to an entry: its title and picture, and a dialog to choose one; the id may be typed. */
export function EntryInput(props: ReferenceProps) {
  const { label, shape } = props;
  const { text, set, isOpen, picker, isTyping, typing, isReadOnly, clear, parts } = useReference(props);
  const [settled] = useDebouncedValue(text, typingMs);
  const mayChoose = useMay("entries");
  const id = isTyping ? settled : text;
  const { data: entry } = useQuery({
    ...foundQuery(id),
    enabled: id !== "" && mayChoose,
  });
  const isShown = entry && entry.slug === text && !isTyping;
  return (
    <>
      <Shown
        {...parts}
        mayChoose={mayChoose}
        card={
          isShown && (
            <Group gap="xs" wrap="nowrap">
              <EntryCard label={label} entry={entry} isReadOnly={isReadOnly} onEdit={typing.open} onClear={clear} />
              {!isReadOnly && <ChooseButton label={label} onClick={picker.open} />}
            </Group>
          )
        }
      />
      {!isShown && id !== "" && entry !== undefined && (
        <Text size="xs" mt={4} c="dimmed" truncate>
          {entry ? (
            <Anchor component={Link} href={addressOf("entries", id)} size="xs" className="typed-link">
              {titleOf(entry)}
            </Anchor>
          ) : (
            say("There is no such entry.")
          )}
        </Text>
      )}
      {isOpen && (
        <Suspense>
          <EntryPicker types={shape.narrowed} onPick={set} onClose={picker.close} />
        </Suspense>
      )}
    </>
  );
}

const picture = /\.(jpe?g|png|webp|avif|gif|svg)$/i;

/** A reference to a file: what it is, and a dialog to choose one; its path may be typed; a dropped file is uploaded. */
export function FileInput(props: ReferenceProps) {
  const { slug } = useContext(FormContext);
  const { label, shape } = props;
  const { text, set, isOpen, picker, isTyping, typing, isReadOnly, clear, parts } = useReference(props);
  const [asked, setAsked] = useState<string>();
  const maySee = useMay("files");
  const isLocal = maySee && text !== "" && !text.includes("://");
  const { data: file } = useQuery({ ...fileQuery(text), enabled: isLocal && !isTyping });
  const isShown = isLocal && !isTyping && file?.filename !== undefined;
  const isPictured = isLocal && isForPictures(shape.narrowed) && picture.test(text);
  const choose = (path: string): void => {
    setAsked(path);
    typing.close();
    set(path);
  };
  return (
    <FileDrop media={shape.narrowed} onPath={choose}>
      <Shown
        {...parts}
        mayChoose={maySee}
        card={
          isShown && (
            <FileCard
              {...{ label, file, isPictured, isReadOnly }}
              path={text}
              onReplace={picker.open}
              onEdit={typing.open}
              onClear={clear}
            />
          )
        }
      />
      {isPictured && !isTyping && <PictureAlt key={text} path={text} isAsked={asked === text} />}
      {isOpen && (
        <Suspense>
          <MediaPicker media={shape.narrowed} home={slug} onPick={choose} onClose={picker.close} />
        </Suspense>
      )}
    </FileDrop>
  );
}

function ChooseButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <Button variant="default" px="sm" aria-label={say("Choose {label}", { label })} onClick={onClick}>
      {say("Choose…")}
    </Button>
  );
}

type PartProps = ReferenceProps & {
  text: string;
  mayChoose: boolean;
  onText(text: string): void;
  onChoose(): void;
  isFocused?: boolean;
  onFocus?(): void;
  onBlur?(): void;
};

/** The card of what the field refers to; without one the field to type it in. */
function Shown({ card, ...props }: PartProps & { card: ReactNode }) {
  const { error, description } = useLabel(props);
  if (!card) return <Reference {...props} />;
  return (
    <Input.Wrapper
      {...(props.isBare ? {} : { label: props.label, withAsterisk: props.isRequired })}
      labelElement="div"
      {...{ description, error }}
    >
      {card}
    </Input.Wrapper>
  );
}

function Reference({ text, mayChoose, onText, onChoose, isFocused, onFocus, onBlur, ...props }: PartProps) {
  const labels = useLabel(props);
  const row = (input: ReactNode): ReactNode => (
    <Group gap="xs" wrap="nowrap">
      <Box flex={1} miw={0}>
        {input}
      </Box>
      {mayChoose && <ChooseButton label={props.label} onClick={onChoose} />}
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
      autoFocus={isFocused}
      onFocus={onFocus}
      onBlur={onBlur}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
}
