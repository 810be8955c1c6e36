import { Alert } from "@mantine/core";
import { ProgramOutput } from "../ui/page/program-output.tsx";
import styles from "./call-parts.module.css";
import { CallResult, RecordLink } from "./call-result.tsx";
import type { CallState } from "./use-call.ts";

/** The result of a call, or why it failed, with the link to its record. */
export function CallOutcome({ state }: { state: CallState }) {
  switch (state.kind) {
    case "none":
    case "running":
      return null;
    case "cancelled":
      return (
        <Alert color="blue" mb="md" role="alert" title="You cancelled the call">
          The outside system may have done some of it. The record in Calls says how it ended.
        </Alert>
      );
    case "failed": {
      const { message, code, detail } = state.error;
      const { run_id: run } = detail;
      return (
        <Alert color="red" mb="md" role="alert" title="The call failed">
          {message}
          <ProgramOutput of={detail} />
          <p className={styles.errorLinks}>
            <span>
              {"Error code: "}
              <code>{code}</code>
            </span>
            {typeof run === "string" && <RecordLink run={run} />}
          </p>
        </Alert>
      );
    }
    case "done": {
      const { result, blocks, run_id: run } = state.answer;
      return <CallResult key={run} result={result} blocks={blocks} run={run} />;
    }
  }
}
