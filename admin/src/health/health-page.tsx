import "./health.css";
import { Alert, Badge, Button, Code, Group, SimpleGrid, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileQuestion } from "lucide-react";
import type { ReactNode } from "react";
import type { Stats } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { formatAgo, formatBytes, formatCount, formatDuration } from "../model/format.ts";
import { Page } from "../ui/page.tsx";
import { Failure, Loading, notifyFailure } from "../ui/state.tsx";
import { FailedPublishes } from "./failed-publishes.tsx";
import { probe } from "./probe.ts";
import { Warnings } from "./warnings.tsx";

const everyMs = 5000;

/** The state and the statistics of the service. */
export function HealthPage() {
  const {
    data: stats,
    error,
    refetch,
  } = useQuery({ queryKey: ["stats"], queryFn: () => octavo.stats(), refetchInterval: everyMs });
  return (
    <Page
      title="Health"
      description={stats && `Octavo ${stats.version}, up for ${formatDuration(stats.uptime_seconds)}`}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} mb="md">
        <Check name="live" label="Answers" />
        <Check name="ready" label="Accepts requests" />
      </SimpleGrid>
      {stats && <Warnings stats={stats} />}
      <FailedPublishes />
      {error ? (
        <Failure error={error} title="The statistics cannot be read" onRetry={() => void refetch()} />
      ) : stats ? (
        <Figures stats={stats} />
      ) : (
        <Loading rows={3} height={110} />
      )}
    </Page>
  );
}

function Check({ name, label }: { name: "live" | "ready"; label: string }) {
  const { data } = useQuery({ queryKey: ["health", name], queryFn: () => probe(name), refetchInterval: everyMs });
  return (
    <Group className="panel" p="md" justify="space-between" wrap="nowrap" align="flex-start">
      <div>
        <Text fw={600}>{label}</Text>
        <Text size="xs" c="dimmed" className="mono">
          /health/{name}
        </Text>
        {data?.reason && <Text size="sm">{data.reason}</Text>}
      </div>
      <Group gap="xs">
        <Text size="xs" c="dimmed">
          {data && `${data.tookMs.toFixed(0)} ms`}
        </Text>
        <Badge color={data === undefined ? "gray" : data.isOk ? "teal" : "red"} size="lg">
          {data === undefined ? "Checking" : data.isOk ? "Yes" : "No"}
        </Badge>
      </Group>
    </Group>
  );
}

function Figures({ stats }: { stats: Stats }) {
  return (
    <>
      {stats.unknown_uploads > 0 && <UnknownUploads stats={stats} />}
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} mb="md">
        <Figure label="Entries" value={shown(stats.entries)} />
        <Figure label="Files" value={shown(stats.files)} />
        <Figure label="Folders" value={shown(stats.folders)} />
        <Figure label="Registry items" value={shown(stats.registry_items)} />
        <Figure label="Tokens" value={shown(stats.tokens)} />
        <Figure label="Memory" value={formatBytes(stats.memory_bytes)} />
      </SimpleGrid>
      <Storage stats={stats} />
    </>
  );
}

/** Files that the service did not create in uploads/ and moved away. */
function UnknownUploads({ stats: { unknown_uploads: count } }: { stats: Stats }) {
  const [what, them] = count === 1 ? ["1 file", "it"] : [`${formatCount(count)} files`, "them"];
  return (
    <Alert color="yellow" icon={<FileQuestion size={18} />} title={`${what} that Octavo did not create`} mb="md">
      Found in <Code>uploads/</Code>, which holds nothing but links to stored files, and moved to{" "}
      <Code>uploads.unknown/</Code> beside it. On that machine <Code>octavo uploads adopt</Code> turns {them} into{" "}
      {count === 1 ? "an upload" : "uploads"}.
    </Alert>
  );
}

/** A damaged database cannot provide every figure. */
const shown = (count: number | undefined): string => (count === undefined ? "Unknown" : formatCount(count));

const Figure = ({ label, value }: { label: string; value: ReactNode }) => (
  <div className="panel figure">
    <span>{label}</span>
    <strong>{value}</strong>
  </div>
);

function Storage({ stats }: { stats: Stats }) {
  const parts = [
    {
      label: "Files",
      help: "The bytes of all uploads; equal files count once",
      bytes: stats.blob_bytes ?? 0,
      colour: "var(--mantine-color-indigo-6)",
    },
    {
      label: "Cached images",
      help: `${formatCount(stats.renditions)} renditions`,
      bytes: stats.rendition_bytes,
      colour: "var(--mantine-color-teal-6)",
    },
    {
      label: "Database",
      help: "Entries, registry, tokens, events and the field index",
      bytes: stats.store_bytes,
      colour: "var(--mantine-color-orange-6)",
    },
  ];
  const all = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <section className="panel storage" aria-labelledby="storage">
      <Group justify="space-between" mb="sm">
        <h2 id="storage">Storage</h2>
        <Text fw={600}>{formatBytes(all)}</Text>
      </Group>
      <div className="storage-bar" aria-hidden>
        {parts.map(({ label, bytes, colour }) => (
          <span key={label} style={{ flexGrow: bytes, background: colour }} />
        ))}
      </div>
      <dl>
        {parts.map(({ label, help, bytes, colour }) => (
          <div key={label}>
            <dt>
              <i style={{ background: colour }} aria-hidden /> {label}
            </dt>
            <dd>
              <b>{formatBytes(bytes)}</b>
              <small>{help}</small>
            </dd>
          </div>
        ))}
      </dl>
      {stats.store_checked_at !== undefined && <LastCheck atSeconds={stats.store_checked_at} />}
    </section>
  );
}

/** The time of the last check of the whole database file, and a button to check it now. */
function LastCheck({ atSeconds }: { atSeconds: number }) {
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => octavo.stats({ check: true }),
    onSuccess: (stats) => queries.setQueryData(["stats"], stats),
    onError: notifyFailure,
  });
  return (
    <Group justify="space-between" mt="md" gap="xs">
      <Text size="sm" c="dimmed">
        {atSeconds === 0
          ? "This process has not checked the SQLite file."
          : `The SQLite file was last checked ${formatAgo(atSeconds)}.`}
      </Text>
      <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
        Check it now
      </Button>
    </Group>
  );
}
