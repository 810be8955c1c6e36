import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { useMemo } from "react";
import { useApi } from "../../../api/use-api.ts";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { CalledCard } from "./called-card.tsx";
import { LastRunsCard } from "./last-runs-card.tsx";
import { listCalled } from "./list-called.ts";
import styles from "./overview.module.css";
import { PictureCard } from "./picture-card.tsx";
import { StartsCard } from "./starts-card.tsx";
import { findLastRun } from "./use-last-run.ts";
import { useShownBody } from "./use-shown-body.ts";
import { WaitingCard } from "./waiting-card.tsx";

const everyMs = 5_000;
const runsShown = 20;
/** The API takes no more ids at once. */
const rowsMax = 100;

/** A workflow at a glance: its picture with the last run on it, what waits, its last runs, what starts it, what it calls. */
export function OverviewTab({ workflow }: { workflow: WorkflowDetail }) {
  const { id, version, access } = workflow;
  const body = useShownBody(workflow);
  const shown = body.data?.body;
  const called = useMemo(() => listCalled(shown), [shown]);
  const params = { workflow: id };
  const runs = useApi(
    "GET /manager/api/workflows/{workflow}/runs",
    { params, query: { limit: runsShown } },
    { everyMs },
  );
  const ids = called.rows.slice(0, rowsMax).map((row) => row.id);
  const rows = useApi(
    "GET /manager/api/rows",
    { query: { ids: ids.toSorted().join(","), limit: rowsMax } },
    { isOn: ids.length > 0 },
  );
  const hasTicks = access === "manage" && version > 0 && hasCron(shown);
  const ticks = useApi(
    "GET /manager/api/workflows/{workflow}/ticks",
    { params },
    { isOn: hasTicks, everyMs: 60_000 },
  );
  const found = rows.data?.rows;
  const rowNames = useMemo(() => new Map((found ?? []).map((row) => [row.id, row.label])), [found]);
  const isSettled = ({ data, error }: { data?: unknown; error: unknown }) =>
    data !== undefined || error !== null;
  // Together, so that none of them moves another.
  const isReady =
    isSettled(body) &&
    isSettled(runs) &&
    (ids.length === 0 || isSettled(rows)) &&
    (!hasTicks || isSettled(ticks));
  const last = findLastRun(runs.data?.runs ?? []);
  return (
    <>
      <PictureCard workflow={workflow} body={body} run={last} rowNames={rowNames} />
      {isReady ? (
        <div className={styles.cards}>
          <WaitingCard workflow={workflow} runs={runs.data?.runs ?? []} />
          <LastRunsCard workflow={workflow} runs={runs} />
          <StartsCard workflow={workflow} body={shown} ticks={hasTicks ? ticks : null} />
          <CalledCard called={called} rows={rows} />
        </div>
      ) : (
        <PageSkeleton lines={6} />
      )}
    </>
  );
}

function hasCron(body: unknown): boolean {
  const { triggers } = Object(body);
  return Array.isArray(triggers) && triggers.some((one) => Object(one).type === "cron");
}
