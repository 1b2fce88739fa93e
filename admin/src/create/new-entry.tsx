import { Chip, Group, Input, NativeSelect, TextInput } from "@mantine/core";
import { useId, useRef, useState } from "react";
import { type ContentType, OctavoProblem } from "../../../client/src/client.ts";
import type { JsonObject } from "../api/json.ts";
import { joinPath } from "../api/path.ts";
import { pathsBelow, reaches } from "../api/session.ts";
import { createDraft, type OpenedEntry } from "../api/staged.ts";
import { say } from "../language/say.ts";
import { fits, idIn, nameOfPlace, placesFor } from "../model/entry/new-place.ts";
import { slugOf } from "../model/entry/slug.ts";
import type { Types } from "../model/types.ts";
import { entryKey, rereadEntries } from "../query/entry.ts";
import { rereadReleases, useReleases } from "../query/releases.ts";
import { useTypesRead } from "../query/use-types.ts";
import { useSession } from "../session-context.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { queries } from "../ui/query.ts";
import { tellMade } from "./made.ts";

type NewEntryProps = {
  /** Where the person is: the parent of the new entry, if its type has no other place. */
  below?: string;
  /** The id, if it is known. */
  at?: string;
  /** The title to begin with. */
  title?: string;
  /** Ids of types: only these are offered. All by default. */
  only?: readonly string[];
  /** What happens with it; it is opened by default. */
  onCreated?(slug: string): void;
  onClose(): void;
};

const none: Types = { all: [], typeOf: () => undefined };
const open = (slug: string): void => {
  tellMade(slug);
  go(addressOf("entries", slug));
};

/** Asks for the type and the title of an entry, which make its id, and creates a draft. */
export function NewEntry({ onCreated = open, onClose, ...rest }: NewEntryProps) {
  const { types = none, isReading } = useTypesRead();
  if (isReading) return null;
  return <Dialog {...rest} types={types} onCreated={onCreated} onClose={onClose} />;
}

type DialogProps = NewEntryProps & { types: Types; onCreated(slug: string): void };

function Dialog({ types, only = [], onCreated, onClose, ...begin }: DialogProps) {
  const start = useNewEntry(types, only, begin);
  const { chosen } = useReleases();
  const { offered, type, id, refusal } = start;
  const title = useRef<HTMLInputElement>(null);
  const isTitleFirst = offered.length === 0 || type !== undefined;
  const create = async (): Promise<void> => {
    const data = await startOf(start.title, id, type, types);
    const created = await createAtFree(id, { ...data, visibility: "draft" }, start.isTyped, chosen?.id);
    queries.setQueryData(entryKey(created.entry.slug), created);
    await Promise.all([rereadEntries(), chosen && rereadReleases()]);
    onCreated(created.entry.slug);
  };
  const isNamed = start.isTyped ? id !== "" : slugOf(start.title) !== "";
  return (
    <FormDialog
      title={say("New entry")}
      submit={say("Create")}
      onSubmit={create}
      onClose={onClose}
      isDisabled={!isNamed || refusal !== undefined}
    >
      {offered.length > 0 && (
        <TypeChoice
          offered={offered}
          hasNone={only.length === 0}
          value={type?.id ?? ""}
          isFirst={!isTitleFirst}
          onChoose={start.choose}
          onChosen={() => title.current?.focus()}
        />
      )}
      <TextInput
        ref={title}
        label={say("Title")}
        attributes={{ input: { dir: "auto" } }}
        value={start.title}
        onChange={(event) => start.setTitle(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus={isTitleFirst || undefined}
        required
      />
      {start.places.length > 1 && !start.isTyped && <PlaceInput start={start} />}
      <TextInput
        label={say("Id")}
        description={start.hint}
        value={id}
        onChange={(event) => start.setTyped(event.currentTarget.value)}
        error={refusal}
        className="mono-input"
        spellCheck={false}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}

type Start = ReturnType<typeof useNewEntry>;

const PlaceInput = ({ start: { places, place, setPlace } }: { start: Start }) => (
  <NativeSelect
    label={say("Place")}
    value={String(places.indexOf(place as never))}
    onChange={(event) => setPlace(Number(event.currentTarget.value))}
    data={places.map((each, i) => ({ value: String(i), label: nameOfPlace(each) }))}
  />
);

type Begin = Pick<NewEntryProps, "below" | "at" | "title">;

/** What is chosen and typed, and the id that it makes. */
function useNewEntry(types: Types, only: readonly string[], { below = "", at, title: begun = "" }: Begin) {
  const session = useSession();
  const { paths } = session.token;
  const [title, setTitle] = useState(begun);
  const [typed, setTyped] = useState(at);
  const [chosen, setChosen] = useState<string>();
  const [placeAt, setPlace] = useState(0);
  const parent = reaches(session, below) ? below : (pathsBelow(session, below)[0] ?? paths?.[0] ?? "");
  const offered = types.all.filter(
    (each) => (only.length === 0 || only.includes(each.id)) && (at === undefined || fits(types, at, each)),
  );
  const byId = (of: string): ContentType | undefined =>
    offered.find(({ id }) => id === types.typeOf(of, undefined)?.id);
  const first = byId(typed ?? joinPath(parent, "x")) ?? (only.length > 0 ? offered[0] : undefined);
  const wanted = chosen === undefined ? first : offered.find((each) => each.id === chosen);
  const all = placesFor(types, wanted, parent);
  const reached = all.filter((place) => reaches(session, idIn(place, "x")));
  const places = reached.length > 0 ? reached : all;
  const place = places[placeAt] ?? places[0];
  const name = slugOf(title);
  const id = typed ?? idIn(place, name);
  // The place decides, whatever was chosen.
  const type = wanted ?? (id === "" ? undefined : types.typeOf(id, undefined));
  const isElsewhere = id !== "" && wanted !== undefined && !fits(types, id, wanted);
  return {
    ...{ title, setTitle, offered, type, places, place, setPlace, id, setTyped },
    isTyped: typed !== undefined || (place !== undefined && "id" in place) || place === undefined,
    choose(next: string) {
      const found = offered.find((each) => each.id === next);
      setChosen(next);
      setPlace(0);
      if (typed !== undefined && found && !fits(types, typed, found)) setTyped(undefined);
    },
    hint:
      place === undefined && wanted
        ? say("Its place in the tree, like {paths}", { paths: wanted.paths.join(` ${say("or")} `) })
        : say("Its place in the tree, made from the title. It can be changed here, and moved later."),
    refusal:
      id !== "" && !reaches(session, id)
        ? say("You may write at and below {paths}", { paths: paths?.join(", ") })
        : isElsewhere
          ? say("An id of the type {title} is like {paths}", {
              title: wanted.title || wanted.id,
              paths: wanted.paths.join(` ${say("or")} `),
            })
          : undefined,
  };
}

type TypeChoiceProps = {
  offered: readonly ContentType[];
  hasNone: boolean;
  value: string;
  /** The focus begins here. */
  isFirst: boolean;
  onChoose(id: string): void;
  /** After a choice by a pointer; the arrow keys go on to the next. */
  onChosen(): void;
};

function TypeChoice({ offered, hasNone, value, isFirst, onChoose, onChosen }: TypeChoiceProps) {
  const label = useId();
  const isPointed = useRef(false);
  const choices = [
    ...offered.map(({ id, title }) => ({ id, name: title || id })),
    ...(hasNone ? [{ id: "", name: say("No type") }] : []),
  ];
  const choose = (id: string): void => {
    onChoose(id);
    if (isPointed.current) onChosen();
  };
  return (
    <div
      role="radiogroup"
      aria-labelledby={label}
      className="type-choice"
      onPointerDown={() => {
        isPointed.current = true;
      }}
      onKeyDown={() => {
        isPointed.current = false;
      }}
    >
      <Input.Label id={label} component="div">
        {say("Type")}
      </Input.Label>
      <Chip.Group value={value} onChange={choose}>
        <Group gap={6}>
          {choices.map(({ id, name }) => (
            <Chip key={id} value={id} size="sm" data-autofocus={(isFirst && id === value) || undefined}>
              {name}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </div>
  );
}

/** The data of a new entry: the defaults of its type, and what all entries begin with as far as the type accepts it. */
async function startOf(title: string, id: string, type: ContentType | undefined, types: Types): Promise<JsonObject> {
  if (!type) return { title, content: "" };
  const { newData } = await import("../model/form/root.ts");
  const isNamed = types.typeOf(id, undefined)?.id !== type.id;
  return { ...newData(title, type.id, types.all), ...(isNamed && { fieldset: type.id }) };
}

const mostTries = 20;

/** Creates it; where an id that nobody typed is taken, under the next free one. */
async function createAtFree(id: string, data: JsonObject, isTyped: boolean, release?: string): Promise<OpenedEntry> {
  for (let n = 1; ; n++) {
    try {
      return await createDraft(n === 1 ? id : `${id}-${n}`, data, release);
    } catch (error) {
      const isTaken = error instanceof OctavoProblem && error.code === "entry_exists";
      if (!isTaken || isTyped || n === mostTries) throw error;
    }
  }
}
