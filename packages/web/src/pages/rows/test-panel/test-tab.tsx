import type { ListedOperation } from "@hub/contract/row.ts";
import { useNavigate } from "@tanstack/react-router";
import { useApi } from "../../../api/use-api.ts";
import { useMe } from "../../../api/use-me.ts";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { FormSkeleton } from "../../../ui/page/form-skeleton.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { OperationSelect } from "../operation-select.tsx";
import type { RowSearch } from "../row-search.ts";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import { TestCall } from "./test-call.tsx";
import { TestNotices } from "./test-notices.tsx";

const watchMs = 10_000;

type Props = { row: ShownRow; search: RowSearch };

/** Calls an operation with params from a form, as a test or as the retry of an earlier call. */
export function TestTab({ row, search }: Props) {
  const { operation, reading } = useChosen(row, search.op);
  return (
    <Loaded of={reading} what="The operation" skeleton={<FormSkeleton fields={3} />}>
      {() =>
        operation === undefined ? (
          <EmptyState icon="play" title="Nothing to test">
            The connector of this row has no operations, or cannot be used now.
          </EmptyState>
        ) : (
          <Bench row={row} operation={operation} search={search} />
        )
      }
    </Loaded>
  );
}

/** The operation with this key. Without one, the first that clients can call, or else the first. */
function useChosen(row: ShownRow, op: string | undefined) {
  const route = "GET /manager/api/rows/{row}/operations";
  const params = { row: row.id };
  const isNamed = op !== undefined;
  const named = useApi(
    route,
    { params, query: { key: op ?? "", limit: 1 } },
    { isOn: isNamed, everyMs: watchMs },
  );
  const isMissing = !isNamed || named.data?.total === 0;
  const callable = useApi(
    route,
    { params, query: { callable: "true", limit: 1 } },
    { isOn: isMissing, everyMs: watchMs },
  );
  const isNoneCallable = isMissing && callable.data?.total === 0;
  const first = useApi(
    route,
    { params, query: { limit: 1 } },
    { isOn: isNoneCallable, everyMs: watchMs },
  );
  const reading = isNoneCallable ? first : isMissing ? callable : named;
  return { operation: reading.data?.operations[0], reading };
}

type BenchProps = Props & { operation: ListedOperation };

function Bench({ row, operation, search: { prefill, params } }: BenchProps) {
  const { isAdmin } = useMe();
  const navigate = useNavigate({ from: "/manager/connectors/$key/$row" });
  return (
    <>
      <div className={styles.filters}>
        <OperationSelect
          row={row.id}
          hasLabel
          chosen={{ key: operation.key, label: toChoice(operation) }}
          toLabel={toChoice}
          onChange={(key) =>
            void navigate({ search: { tab: "test", ...(key !== null && { op: key }) } })
          }
        />
      </div>
      <TestNotices row={row} operation={operation} />
      <TestCall
        key={operation.key}
        row={row}
        operation={operation.key}
        // Only admins read the params of a run.
        prefill={isAdmin ? prefill : undefined}
        given={params}
      />
    </>
  );
}

const reviewNotes = {
  new: "waits for a review",
  changed: "waits for a review",
  invalid: "invalid",
  gone: "gone",
} as const;

function toChoice({ key, name, enabled, review, destructive }: ListedOperation): string {
  const state = review ? reviewNotes[review] : !enabled && "disabled";
  const notes = [destructive && "destructive", state].filter(Boolean);
  const title = key === name ? key : `${name} (${key})`;
  return notes.length === 0 ? title : `${title} – ${notes.join(", ")}`;
}
