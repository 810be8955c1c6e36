import type { InnerCalls as Counts, Run } from "@hub/contract/run.ts";
import type { HistoryRun } from "@hub/contract/run-history.ts";
import { Switch } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { StatusBadge } from "../../ui/badges/status-badge.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { toCallArgument, toCallCount, toCallName } from "../../ui/text/call-names.ts";
import { formatDuration, formatNumber } from "../../ui/text/format.ts";
import { CallLink, type OpenCall } from "./call-link.tsx";
import { CallTime } from "./call-time.tsx";
import styles from "./inner-calls.module.css";

/** More than a message or a script makes. */
const callsMax = 500;
const runningMs = 1000;

type Props = { run: HistoryRun; onOpen?: OpenCall };

/** The calls that a message or a script made, in their order; nothing for other calls. */
export function InnerCalls({ run, onOpen }: Props) {
  return run.calls === undefined ? null : <Made run={run} calls={run.calls} onOpen={onOpen} />;
}

type MadeProps = { run: HistoryRun; calls: Counts; onOpen: OpenCall | undefined };

function Made({ run: { id, status }, calls, onOpen }: MadeProps) {
  const { isAdmin } = useMe();
  const [isFailedOnly, setFailedOnly] = useState(false);
  const isRunning = status === "running";
  const made = useApi(
    isAdmin ? "GET /manager/api/runs" : "GET /profile/api/runs",
    { query: { cause_id: id, limit: callsMax } },
    { everyMs: isRunning ? runningMs : undefined },
  );
  useLastReading(isRunning, made.refetch);
  return (
    <Card
      title={toCallCount(calls.total)}
      actions={
        <Link to="/manager/runs" search={{ cause_id: id }}>
          In the list
        </Link>
      }
    >
      {calls.failed > 0 && (
        <Switch
          mb="xs"
          label={`Only those that failed (${formatNumber(calls.failed)})`}
          checked={isFailedOnly}
          onChange={(event) => setFailedOnly(event.currentTarget.checked)}
        />
      )}
      <Loaded of={made} what="The calls" skeleton={<PageSkeleton lines={4} />}>
        {({ runs }) => (
          <ol className={styles.calls} aria-label="Calls in their order">
            {runs
              .toReversed()
              .map((call, at) => ({ call, number: at + 1 }))
              .filter(({ call }) => !isFailedOnly || hasFailed(call))
              .map(({ call, number }) => (
                <Line key={call.id} call={call} number={number} onOpen={onOpen} />
              ))}
          </ol>
        )}
      </Loaded>
    </Card>
  );
}

/** Reads once more when it has ended: the last reading may be older than the last calls. */
function useLastReading(isRunning: boolean, read: () => unknown) {
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) void read();
    wasRunning.current = isRunning;
  }, [isRunning, read]);
}

function hasFailed({ status }: Run): boolean {
  return status === "error" || status === "denied";
}

type LineProps = { call: Run; number: number; onOpen: OpenCall | undefined };

function Line({ call, number, onOpen }: LineProps) {
  const { row_label: label, error_msg: message, error_code: code, latency_ms: ms } = call;
  const name = [toCallName(call), toCallArgument(call)].filter(Boolean).join(" ");
  const reason = message ?? code;
  return (
    <li>
      <span className={styles.number}>{formatNumber(number)}</span>
      <span className={styles.what}>
        <CallLink id={call.id} onOpen={onOpen} title={name}>
          {name}
        </CallLink>
        {label !== null && <span className={styles.soft}>{label}</span>}
      </span>
      <StatusBadge status={call.status} />
      <span className={styles.soft}>
        <CallTime at={call.started_at} />
        {ms !== null && ` · ${formatDuration(ms)}`}
      </span>
      {reason !== null && (
        <span className={styles.reason} title={reason}>
          {reason}
        </span>
      )}
    </li>
  );
}
