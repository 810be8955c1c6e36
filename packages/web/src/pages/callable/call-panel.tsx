import { Alert, Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { toIssues } from "../../api/to-issues.ts";
import { useMe } from "../../api/use-me.ts";
import callStyles from "../../call-parts/call-parts.module.css";
import { nameGroups } from "../../call-parts/name-groups.ts";
import { useInputHost } from "../../call-parts/use-input-host.ts";
import { type Draft, listFields, toParams } from "../../form/field-form.ts";
import { FieldForm } from "../../form/form.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import { Card } from "../../ui/page/card.tsx";
import { mayTest } from "../rows/shown-row.ts";
import { CallOutcome } from "./call-outcome.tsx";
import styles from "./callable.module.css";
import { useCall } from "./use-call.ts";
import type { FoundOperation } from "./use-operation.ts";

type Props = {
  found: FoundOperation;
  draft: Draft;
  onDraft: (change: (draft: Draft) => Draft) => void;
};

/** The inputs of an operation with a button that calls it, or why the user may not. */
export function CallPanel(props: Props) {
  const { isAdmin } = useMe();
  const { row, form } = props.found;
  if (mayTest(row, isAdmin)) return <CallForm {...props} />;
  return (
    <>
      <Alert color="blue" mb="md" title="Your clients can call it; this page cannot">
        {`Only admins may call the operations of "${row.label}" from here. An admin can allow it to all who see the row: on the row's tab Access, under Tests.`}
      </Alert>
      <Card title="Inputs">
        <JsonTree value={form.input_schema} label="Inputs" />
      </Card>
    </>
  );
}

function CallForm({ found: { row, operation, form }, draft, onDraft }: Props) {
  const host = useInputHost(row.id, form.key);
  const { state, call, cancel } = useCall(row.id, form.key);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [asked, setAsked] = useState<Record<string, unknown> | null>(null);
  const isRunning = state.kind === "running";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { params, problems: wrong } = toParams(form.groups, draft);
    setProblems(Object.fromEntries(wrong.map(({ key, message }) => [key, message])));
    if (wrong.length > 0 || isRunning) return;
    if (operation.destructive) setAsked(params);
    else call(params);
  };
  const issues = { ...(state.kind === "failed" && toIssues(state.error)), ...problems };
  return (
    <div className={callStyles.bench}>
      <form onSubmit={submit} noValidate>
        {listFields(form.groups).length === 0 ? (
          <p className={callStyles.lead}>This operation has no inputs.</p>
        ) : (
          <FieldForm
            groups={nameGroups(form.groups)}
            draft={draft}
            onDraft={onDraft}
            host={host}
            issues={issues}
          />
        )}
        <div className={styles.buttons}>
          <Button type="submit" leftSection={<Icon name="play" />} loading={isRunning}>
            Call
          </Button>
          {isRunning && (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          )}
          {isRunning && state.progress !== null && (
            <span className={styles.progress} role="status">
              {state.progress}
            </span>
          )}
        </div>
        <p className={callStyles.lead}>
          {
            "The call goes the way of your clients: the same checks, limits and answer. It is recorded as a test of yours in "
          }
          <Link to="/manager/runs" search={{ source: "test" }}>
            Calls
          </Link>
          .
        </p>
      </form>
      <div className={callStyles.result} aria-live="polite">
        <CallOutcome state={state} />
      </div>
      <ConfirmDialog
        isOpen={asked !== null}
        title={`Call ${operation.name}?`}
        action="Call"
        isDangerous
        onConfirm={() => {
          if (asked !== null) call(asked);
          setAsked(null);
        }}
        onClose={() => setAsked(null)}
      >
        {`It is destructive: it changes or deletes something in "${row.label}", as a call of a client would.`}
      </ConfirmDialog>
    </div>
  );
}
