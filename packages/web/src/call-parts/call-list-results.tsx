import { Alert } from "@mantine/core";
import type { Answer } from "../api/call-api.ts";
import { StatusBadge } from "../ui/badges/status-badge.tsx";
import { JsonTree } from "../ui/json/json-tree.tsx";
import { toCallCount } from "../ui/text/call-names.ts";
import { formatNumber } from "../ui/text/format.ts";
import styles from "./call-list.module.css";
import { RecordLink } from "./call-result.tsx";
import type { BatchState } from "./use-call-batch.ts";
import type { ListedCall } from "./use-call-list.ts";

type Result = Answer<"POST /manager/api/operations/calls">["results"][number];

/** How each call of a message ended, or why there was none. */
export function CallListResults({ of }: { of: BatchState }) {
  switch (of.kind) {
    case "none":
    case "running":
      return null;
    case "cancelled":
      return (
        <Alert color="blue" role="alert" title="You cancelled the calls">
          Those that had begun are in Calls with how they ended. The others were not made.
        </Alert>
      );
    case "failed":
      return (
        <Alert color="red" role="alert" title="The calls were not made">
          {of.error.message}
        </Alert>
      );
    case "done": {
      const { sent, answer } = of.answer;
      const { results, run_id: run } = answer;
      const worked = results.filter(({ status }) => status === "success").length;
      return (
        <section aria-label="Results">
          <p className={styles.lead}>
            {`${formatNumber(worked)} of ${toCallCount(results.length)} succeeded. `}
            <RecordLink run={run} />
          </p>
          <ol className={styles.results}>
            {results.map((result, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the results of a message do not change.
              <ResultOfCall key={at} number={at + 1} result={result} call={sent[at]} />
            ))}
          </ol>
        </section>
      );
    }
  }
}

type ResultProps = { number: number; result: Result; call: ListedCall | undefined };

function ResultOfCall({ number, result, call }: ResultProps) {
  const { status, tool_id: toolId, code, error } = result;
  const name = call?.name ?? toolId;
  return (
    <li>
      <div className={styles.head}>
        <span className={styles.number}>{formatNumber(number)}</span>
        <span className={styles.what}>
          {name} <span className={styles.soft}>{call?.row}</span>
        </span>
        {status === "not_run" ? (
          <span className={styles.soft}>Not made</span>
        ) : (
          <StatusBadge status={status} />
        )}
      </div>
      {status === "success" ? (
        <details>
          <summary>{`Result of call ${number}`}</summary>
          <JsonTree value={result.result} label={`Result of call ${number}`} />
        </details>
      ) : (
        <p className={styles.reason}>
          {error} {code !== undefined && <code>{code}</code>}
        </p>
      )}
    </li>
  );
}
