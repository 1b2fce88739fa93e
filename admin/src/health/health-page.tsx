import "./health.css";
import { Alert, Badge, Button, Code, Group, SimpleGrid, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileQuestion } from "lucide-react";
import type { ReactNode } from "react";
import type { Stats } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { say, sayMany } from "../language/say.ts";
import { formatAgo, formatBytes, formatCount, formatDuration } from "../model/format.ts";
import { Page } from "../ui/page.tsx";
import { sayParts } from "../ui/say-parts.tsx";
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
      title={say("Health")}
      description={
        stats &&
        say("Octavo {version}, up for {duration}", {
          version: stats.version,
          duration: formatDuration(stats.uptime_seconds),
        })
      }
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} mb="md">
        <Check name="live" label={say("Answers")} />
        <Check name="ready" label={say("Accepts requests")} />
      </SimpleGrid>
      {stats && <Warnings stats={stats} />}
      <FailedPublishes />
      {error ? (
        <Failure error={error} title={say("The statistics cannot be read")} onRetry={() => void refetch()} />
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
          {data && say("{time} ms", { time: data.tookMs.toFixed(0) })}
        </Text>
        <Badge color={data === undefined ? "gray" : data.isOk ? "teal" : "red"} size="lg">
          {data === undefined ? say("Checking") : data.isOk ? say("Yes") : say("No")}
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
        <Figure label={say("Entries")} value={shown(stats.entries)} />
        <Figure label={say("Files")} value={shown(stats.files)} />
        <Figure label={say("Folders")} value={shown(stats.folders)} />
        <Figure label={say("Registry items")} value={shown(stats.registry_items)} />
        <Figure label={say("Tokens")} value={shown(stats.tokens)} />
        <Figure label={say("Memory")} value={formatBytes(stats.memory_bytes)} />
      </SimpleGrid>
      <Storage stats={stats} />
    </>
  );
}

/** Files that the service did not create in uploads/ and moved away. */
function UnknownUploads({ stats: { unknown_uploads: count } }: { stats: Stats }) {
  const code = <Code>uploads/</Code>;
  const parts = { folder: <Code>uploads.unknown/</Code>, command: <Code>octavo uploads adopt</Code> };
  return (
    <Alert
      color="yellow"
      icon={<FileQuestion size={18} />}
      title={sayMany(count ?? 0, "{count} file that Octavo did not create", "{count} files that Octavo did not create")}
      mb="md"
    >
      {count === 1
        ? sayParts(
            "Found in {code}, which holds nothing but links to stored files, and moved to {folder} beside it. On that machine {command} turns it into an upload.",
            { code, ...parts },
          )
        : sayParts(
            "Found in {code}, which holds nothing but links to stored files, and moved to {folder} beside it. On that machine {command} turns them into uploads.",
            { code, ...parts },
          )}
    </Alert>
  );
}

/** A damaged database cannot provide every figure. */
const shown = (count: number | undefined): string => (count === undefined ? say("Unknown") : formatCount(count));

const Figure = ({ label, value }: { label: string; value: ReactNode }) => (
  <div className="panel figure">
    <span>{label}</span>
    <strong>{value}</strong>
  </div>
);

function Storage({ stats }: { stats: Stats }) {
  const parts = [
    {
      label: say("Files"),
      help: say("The bytes of all uploads; equal files count once"),
      bytes: stats.blob_bytes ?? 0,
      colour: "var(--mantine-color-indigo-6)",
    },
    {
      label: say("Cached images"),
      help: say("{renditions} renditions", { renditions: formatCount(stats.renditions) }),
      bytes: stats.rendition_bytes,
      colour: "var(--mantine-color-teal-6)",
    },
    {
      label: say("Database"),
      help: say("Entries, registry, tokens, events and the field index"),
      bytes: stats.store_bytes,
      colour: "var(--mantine-color-orange-6)",
    },
  ];
  const all = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <section className="panel storage" aria-labelledby="storage">
      <Group justify="space-between" mb="sm">
        <h2 id="storage">{say("Storage")}</h2>
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
          ? say("This process has not checked the SQLite file.")
          : say("The SQLite file was last checked {time}.", { time: formatAgo(atSeconds) })}
      </Text>
      <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
        {say("Check it now")}
      </Button>
    </Group>
  );
}
