import { Button, Switch } from "@mantine/core";
import { useState } from "react";
import { Icon } from "../ui/controls/icon.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { Card } from "../ui/page/card.tsx";
import { toCallCount } from "../ui/text/call-names.ts";
import { formatNumber } from "../ui/text/format.ts";
import styles from "./call-list.module.css";
import { CallListResults } from "./call-list-results.tsx";
import { type BatchState, useCallBatch } from "./use-call-batch.ts";
import { callsMax, useCallList } from "./use-call-list.ts";

/** The calls that are sent together as one message, the button that sends them, and their results. */
export function CallList() {
  const { calls, isFull, remove, clear } = useCallList();
  const { state, send, cancel } = useCallBatch();
  const [ordered, setOrdered] = useState(false);
  const [stopsOnError, setStopsOnError] = useState(false);
  if (calls.length === 0 && state.kind === "none") return null;
  return (
    <Card
      title={`One message: ${toCallCount(calls.length)}`}
      actions={
        calls.length > 0 && (
          <Button variant="subtle" size="compact-sm" onClick={clear}>
            Remove all
          </Button>
        )
      }
    >
      <p className={styles.lead}>
        {`They are sent as one hub_read message, which runs only operations that read: five at a time, each with its own checks and record. ${
          isFull
            ? `One message has at most ${callsMax} calls.`
            : "Calls of other operations can be added on their pages."
        }`}
      </p>
      <ol className={styles.calls} aria-label="Calls to send">
        {calls.map(({ key, name, row, params }, at) => (
          <li key={key}>
            <span className={styles.number}>{formatNumber(at + 1)}</span>
            <span className={styles.what}>
              {name} <span className={styles.soft}>{row}</span>
            </span>
            <code className={styles.params} title={JSON.stringify(params)}>
              {JSON.stringify(params)}
            </code>
            <IconButton icon="close" label={`Remove call ${at + 1}`} onClick={() => remove(key)} />
          </li>
        ))}
      </ol>
      <div className={styles.options}>
        <Switch
          label="One after the other"
          checked={ordered}
          onChange={(event) => setOrdered(event.currentTarget.checked)}
        />
        <Switch
          label="Stop at the first that fails"
          checked={stopsOnError}
          onChange={(event) => setStopsOnError(event.currentTarget.checked)}
        />
      </div>
      <div className={styles.buttons}>
        <Button
          variant="default"
          leftSection={<Icon name="play" />}
          loading={state.kind === "running"}
          disabled={calls.length === 0}
          onClick={() => send(calls, { ordered, stopsOnError })}
        >
          {`Send ${toCallCount(calls.length)}`}
        </Button>
        {state.kind === "running" && (
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        )}
        <Progress of={state} />
      </div>
      <div aria-live="polite">
        <CallListResults of={state} />
      </div>
    </Card>
  );
}

function Progress({ of }: { of: BatchState }) {
  if (of.kind !== "running") return null;
  const { ended, total } = of.progress;
  return (
    <span className={styles.soft} role="status">
      {`${formatNumber(ended)} of ${formatNumber(total)} ended`}
    </span>
  );
}
