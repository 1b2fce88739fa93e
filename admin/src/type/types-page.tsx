import "./type.css";
import { Badge, Button, Group, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Plus, Shapes } from "lucide-react";
import type { ContentType } from "../../../client/src/client.ts";
import type { Json } from "../api/json.ts";
import { plural } from "../ui/format.ts";
import { addressOf, Link, type Place } from "../ui/location.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { useHidden } from "../ui/undo.tsx";
import { FaultsPage } from "./faults-page.tsx";
import { NewType } from "./new-type.tsx";
import { fieldsOf, isReadable } from "./schema-edit.ts";
import { TypeEditor } from "./type-editor.tsx";
import { TypeMenu } from "./type-menu.tsx";
import { useMayChangeTypes } from "./types.ts";
import { typesQuery } from "./types-query.ts";

/** The content types: their list, the editor of one, or the entries that one would refuse. */
export function TypesPage({ place: { path, search } }: { place: Place }) {
  if (path === "") return <TypeList />;
  if (search.get("view") === "faults") return <FaultsPage key={path} id={path} />;
  return <TypeEditor key={path} id={path} />;
}

function TypeList() {
  const hidden = useHidden();
  const [isMaking, making] = useDisclosure(false);
  const mayChange = useMayChangeTypes();
  // Other sessions change types, too.
  const { data, error, refetch } = useQuery({ ...typesQuery, staleTime: 0 });
  const types = data?.filter(({ id }) => !hidden.has(`type:${id}`));
  return (
    <Page
      title="Types"
      description="Which data the entries of some paths have. Entries without a type may have any data."
      actions={
        mayChange && (
          <Button leftSection={<Plus size={15} />} onClick={making.open}>
            New type
          </Button>
        )
      }
    >
      {error ? (
        <Failure error={error} title="The types cannot be read" onRetry={() => void refetch()} />
      ) : !types ? (
        <Loading />
      ) : types.length === 0 ? (
        <Empty icon={Shapes} title="No types yet">
          A type gives the entries of some paths a form, and refuses data that does not fit.
        </Empty>
      ) : (
        <Rows types={types} />
      )}
      {isMaking && <NewType known={data ?? []} onClose={making.close} />}
    </Page>
  );
}

function Rows({ types }: { types: readonly ContentType[] }) {
  return (
    <div className="panel table-panel">
      <Table verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Type</Table.Th>
            <Table.Th visibleFrom="sm">Paths</Table.Th>
            <Table.Th visibleFrom="xs">Fields</Table.Th>
            <Table.Th>Mode</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {types.map((type) => (
            <Table.Tr key={type.id} className="row-link">
              <Table.Td data-fill>
                <Link href={addressOf("types", type.id)} className="row-name" dir="auto">
                  {type.title || type.id}
                </Link>
                <Text size="xs" c="dimmed" className="mono" truncate>
                  {type.id}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm" className="mono type-paths">
                {type.paths.join(", ") || <span className="quiet">by fieldset</span>}
              </Table.Td>
              <Table.Td visibleFrom="xs" className="quiet">
                {countFields(type.schema as Json)}
              </Table.Td>
              <Table.Td>
                <Group gap={4}>
                  <ModeBadge mode={type.mode} />
                  {type.fault && <Badge color="red">Wrong schema</Badge>}
                </Group>
              </Table.Td>
              <Table.Td>
                <Group justify="flex-end" className="above-link">
                  <TypeMenu type={type} />
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

const countFields = (schema: Json): string =>
  isReadable(schema) ? plural(fieldsOf(schema).length, "field") : "only JSON";

const ModeBadge = ({ mode }: Pick<ContentType, "mode">) =>
  mode === "enforce" ? <Badge color="teal">Checked</Badge> : <Badge color="gray">Not checked</Badge>;
