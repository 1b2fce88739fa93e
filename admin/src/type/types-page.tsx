import "./type.css";
import { Badge, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Plus, Shapes } from "lucide-react";
import type { ContentType } from "../../../client/src/client.ts";
import type { Json } from "../api/json.ts";
import { say, sayMany } from "../language/say.ts";
import { fieldsOf, isReadable } from "../model/type/schema-edit.ts";
import { useMayChangeTypes } from "../query/types.ts";
import { typesQuery } from "../query/types-query.ts";
import { type Column, from, ListPage } from "../ui/list.tsx";
import { addressOf, Link, type PageAddress } from "../ui/location.tsx";
import { Empty } from "../ui/state.tsx";
import { useHidden } from "../ui/undo.tsx";
import { FaultsPage } from "./faults-page.tsx";
import { NewType } from "./new-type.tsx";
import { TypeEditor } from "./type-editor.tsx";
import { TypeMenu } from "./type-menu.tsx";

/** The content types: their list, the editor of one, or the entries that one would refuse. */
export function TypesPage({ place: { path, search } }: { place: PageAddress }) {
  if (path === "") return <TypeList />;
  if (search.get("view") === "faults") return <FaultsPage key={path} id={path} />;
  return <TypeEditor key={path} id={path} />;
}

function TypeList() {
  const hidden = useHidden();
  const [isMaking, making] = useDisclosure(false);
  const mayChange = useMayChangeTypes();
  // Other sessions change types, too.
  const list = useQuery({ ...typesQuery, staleTime: 0 });
  const types = list.data?.filter(({ id }) => !hidden.has(`type:${id}`));
  return (
    <ListPage
      title={say("Types")}
      description={say("Which data the entries of some paths have. Entries without a type may have any data.")}
      actions={
        mayChange && (
          <Button leftSection={<Plus size={15} />} onClick={making.open}>
            {say("New type")}
          </Button>
        )
      }
      list={list}
      items={types}
      failure={say("The types cannot be read")}
      empty={
        <Empty icon={Shapes} title={say("No types yet")}>
          {say("A type gives the entries of some paths a form, and refuses data that does not fit.")}
        </Empty>
      }
      table={{ columns, keyOf: ({ id }) => id, isLinked: true }}
    >
      {isMaking && <NewType known={list.data ?? []} onClose={making.close} />}
    </ListPage>
  );
}

const columns: Column<ContentType>[] = [
  {
    label: say("Type"),
    cell: { "data-fill": true },
    show: ({ id, title }) => (
      <>
        <Link href={addressOf("types", id)} className="row-name" dir="auto">
          {title || id}
        </Link>
        <Text size="xs" c="dimmed" className="mono" truncate>
          {id}
        </Text>
      </>
    ),
  },
  {
    label: say("Paths"),
    both: { visibleFrom: "sm" },
    cell: { className: "mono type-paths" },
    show: ({ paths }) => paths.join(", ") || <span className="quiet">{say("by fieldset")}</span>,
  },
  {
    label: say("Fields"),
    ...from("xs"),
    show: ({ schema }) => countFields(schema as Json),
  },
  {
    label: say("Mode"),
    show: ({ mode, fault }) => (
      <Group gap={4}>
        <ModeBadge mode={mode} />
        {fault && <Badge color="red">{say("Wrong schema")}</Badge>}
      </Group>
    ),
  },
  {
    show: (type) => (
      <Group justify="flex-end" className="above-link">
        <TypeMenu type={type} />
      </Group>
    ),
  },
];

const countFields = (schema: Json): string =>
  isReadable(schema) ? sayMany(fieldsOf(schema).length, "{count} field", "{count} fields") : say("only JSON");

const ModeBadge = ({ mode }: Pick<ContentType, "mode">) =>
  mode === "enforce" ? <Badge color="teal">{say("Checked")}</Badge> : <Badge color="gray">{say("Not checked")}</Badge>;
