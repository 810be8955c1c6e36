import type { OperationForm } from "@hub/contract/row-settings.ts";
import { Button } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { toIssues } from "../api/to-issues.ts";
import { type Draft, listFields, toParams } from "../form/field-form.ts";
import { FieldForm } from "../form/form.tsx";
import { Icon } from "../ui/controls/icon.tsx";
import { CallOutcome } from "./call-outcome.tsx";
import styles from "./call-parts.module.css";
import { nameGroups } from "./name-groups.ts";
import type { CallParams, CallState } from "./use-call.ts";
import { useInputHost } from "./use-input-host.ts";

type Props = {
  /** The id of the row. */
  row: string;
  form: OperationForm;
  draft: Draft;
  onDraft: (change: (draft: Draft) => Draft) => void;
  state: CallState;
  onCall: (params: CallParams) => void;
  onCancel: () => void;
  /** Puts the call on the list of those that are sent together. Null if it is full; absent if there is none. */
  onAdd?: ((params: CallParams) => void) | null;
  /** What stands below the buttons. */
  children?: ReactNode;
};

/** The inputs of an operation, the button that calls it, and the result. */
export function CallBench(props: Props) {
  const { row, form, draft, onDraft, state, onCall, onCancel, onAdd, children } = props;
  const host = useInputHost(row, form.key);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const readForm = (): CallParams | null => {
    const { params, problems: wrong } = toParams(form.groups, draft);
    setProblems(Object.fromEntries(wrong.map(({ key, message }) => [key, message])));
    return wrong.length === 0 ? params : null;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const params = readForm();
    if (params !== null && state.kind !== "running") onCall(params);
  };
  const add = () => {
    const params = readForm();
    if (params !== null) onAdd?.(params);
  };
  const issues = { ...(state.kind === "failed" && toIssues(state.error)), ...problems };
  return (
    <div className={styles.bench}>
      <form onSubmit={submit} noValidate>
        {listFields(form.groups).length === 0 ? (
          <p className={styles.lead}>This operation has no inputs.</p>
        ) : (
          <FieldForm
            groups={nameGroups(form.groups)}
            draft={draft}
            onDraft={onDraft}
            host={host}
            issues={issues}
          />
        )}
        <Buttons state={state} onCancel={onCancel}>
          {onAdd !== undefined && (
            <Button
              variant="default"
              leftSection={<Icon name="plus" />}
              disabled={onAdd === null}
              onClick={add}
            >
              Add to a message
            </Button>
          )}
        </Buttons>
        {children}
      </form>
      <div className={styles.result} aria-live="polite">
        <CallOutcome state={state} />
      </div>
    </div>
  );
}

function Buttons({ state, onCancel, children }: Pick<Props, "state" | "onCancel" | "children">) {
  const isRunning = state.kind === "running";
  return (
    <div className={styles.buttons}>
      <Button type="submit" leftSection={<Icon name="play" />} loading={isRunning}>
        Call
      </Button>
      {children}
      {isRunning && (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
      {isRunning && state.progress !== null && (
        <span className={styles.progress} role="status">
          {state.progress}
        </span>
      )}
    </div>
  );
}
