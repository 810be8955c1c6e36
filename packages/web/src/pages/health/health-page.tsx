import type { Status } from "@hub/contract/hub-status.ts";
import { Button } from "@mantine/core";
import type { Answer } from "../../api/call-api.ts";
import { useApi } from "../../api/use-api.ts";
import { RowStateName } from "../../ui/badges/row-state.tsx";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { PathLink } from "../../ui/controls/path-link.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { Properties } from "../../ui/page/properties.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { formatBytes, formatDuration, formatNumber } from "../../ui/text/format.ts";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import { rowStates } from "../connectors/table/row-states.ts";
import styles from "./health.module.css";

const everyMs = 10_000;
/** So many lines that what is below stays where it is when the checks come. */
const checksUsual = 20;

/** What `hub doctor` says, and the processes and the database of the hub. */
export function HealthPage() {
  const doctor = useApi("GET /admin/api/doctor", {});
  const status = useApi("GET /admin/api/status", {}, { everyMs });
  return (
    <Page
      title="Health"
      lead="The checks of hub doctor, by the server that answers this page, and when each was made. Ok is only what was seen to work."
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="refresh" />}
          loading={doctor.isFetching}
          onClick={() => void doctor.refetch()}
        >
          Check again
        </Button>
      }
    >
      <Card title="Checks">
        <Loaded
          of={doctor}
          what="The checks"
          skeleton={<PageSkeleton lines={checksUsual} height={24} />}
          isSlow
        >
          {(report) => <Checks report={report} />}
        </Loaded>
      </Card>
      <RowsByState />
      <Loaded of={status} what="The servers" skeleton={<PageSkeleton lines={4} />}>
        {(found) => (
          <>
            <Database database={found.database} />
            <Card title="Processes">
              <DataTable
                label="Processes"
                rows={found.processes}
                columns={processColumns}
                toKey={({ id }) => id}
              />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const severities = {
  fail: { tone: "bad", text: "Fails" },
  warn: { tone: "warn", text: "Check this" },
  unknown: { tone: "off", text: "Not checked" },
  ok: { tone: "good", text: "Ok" },
} as const;

const order = ["fail", "warn", "unknown", "ok"] as const;

function Checks({ report: { checks } }: { report: Answer<"GET /admin/api/doctor"> }) {
  const sorted = order.flatMap((severity) => checks.filter(({ status }) => status === severity));
  const hasCommand = checks.some(({ message }) => commandPattern.test(message));
  return (
    <>
      <ul className={styles.checks}>
        {sorted.map(({ name, status, message, checked_at: at }) => (
          <li key={`${name} ${message}`} className={styles.check}>
            <StateBadge {...severities[status]} />
            <strong>{capitalize(name)}</strong>
            <span className={styles.message}>{capitalize(message)}</span>
            <span className={styles.seen}>{at !== null && <TimeAgo at={at} />}</span>
          </li>
        ))}
      </ul>
      {hasCommand && (
        <p className={styles.commands}>
          In a checkout of the hub, type <code>npx hub</code> for <code>hub</code>.
        </p>
      )}
    </>
  );
}

/** A command that a message names. */
const commandPattern = /: hub [a-z]|see hub [a-z]|with hub [a-z]|`hub [a-z]/;

/** Not of a path or an address. */
function capitalize(text: string): string {
  const [first = ""] = text.split(" ", 1);
  return /^[a-z]+[,.:;]?$/.test(first) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** How many rows are in each state, with the list of each. */
function RowsByState() {
  const rows = useApi("GET /manager/api/rows", { query: { limit: 1 } });
  return (
    <Card title="Rows">
      <Loaded of={rows} what="The rows" skeleton={<PageSkeleton lines={1} height={24} />}>
        {({ by_state: byState }) => (
          <ul className={styles.states}>
            {rowStates.map((name) => {
              const count = byState[name] ?? 0;
              if (count === 0) return null;
              return (
                <li key={name}>
                  <RowStateName name={name} />
                  <PathLink path={`/manager/connectors?state=${name}`}>
                    {formatNumber(count)}
                  </PathLink>
                </li>
              );
            })}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

const kinds: Record<string, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };

function Database({ database }: { database: Status["database"] }) {
  const { kind, bytes, newest_migration: migration, server } = database;
  return (
    <Card title="Database">
      <Properties
        items={[
          ["Kind", kinds[kind.toLowerCase()] ?? kind],
          ["Size", formatBytes(bytes)],
          ["Migration", <code key="migration">{migration}</code>],
          ["Round trip", server && formatDuration(server.round_trip_ms)],
          [
            "Connections",
            server &&
              `${formatNumber(server.connections_open)} of ${formatNumber(server.connections_max)} open, ${formatNumber(server.busy)} busy, ${formatNumber(server.waiting)} waiting`,
          ],
        ]}
      />
    </Card>
  );
}

const processColumns: ReadonlyArray<Column<Status["processes"][number]>> = [
  {
    key: "kind",
    header: "Process",
    width: "minmax(9rem, 2fr)",
    render: ({ kind, pid, hostname, answers }) => (
      <span title={`${kind} ${pid} on ${hostname}`}>
        {kind} {pid} on {hostname}
        {answers && " · answers this page"}
      </span>
    ),
  },
  {
    key: "version",
    header: "Version",
    width: "minmax(5rem, 1fr)",
    isWideOnly: true,
    render: ({ version }) => version ?? "–",
  },
  {
    key: "clock",
    header: "Clock off by",
    width: "7rem",
    align: "end",
    isWideOnly: true,
    render: ({ clock_offset_ms: ms }) => (ms < 0 ? `−${formatDuration(-ms)}` : formatDuration(ms)),
  },
  {
    key: "started",
    header: "Started",
    width: "8rem",
    align: "end",
    isWideOnly: true,
    render: ({ started_at: at }) => <TimeAgo at={at} />,
  },
  {
    key: "heartbeat",
    header: "Heartbeat",
    width: "8rem",
    align: "end",
    render: ({ heartbeat_at: at }) => <TimeAgo at={at} />,
  },
];
