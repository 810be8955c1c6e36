import type { OperationForm } from "@hub/contract/row-settings.ts";
import { Alert, Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { toIssues } from "../../../api/to-issues.ts";
import { useChange } from "../../../api/use-api.ts";
import styles from "../../../call-parts/call-parts.module.css";
import { CallResult } from "../../../call-parts/call-result.tsx";
import { nameGroups } from "../../../call-parts/name-groups.ts";
import { useInputHost } from "../../../call-parts/use-input-host.ts";
import { type Draft, findTyped, listFields, toParams } from "../../../form/field-form.ts";
import { FieldForm } from "../../../form/form.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import { ProgramOutput } from "../../../ui/page/program-output.tsx";
import type { ShownRow } from "../shown-row.ts";

type Props = {
  row: ShownRow;
  form: OperationForm;
  given: Draft;
  retryOf: string | undefined;
};

/** The inputs of an operation, the button that calls it, and the result. */
export function TestForm({ row, form, given, retryOf }: Props) {
  const [draft, setDraft] = useState(given);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const test = useChange("POST /manager/api/rows/{row}/operations/{operation}/test", {
    refreshes: [
      "GET /manager/api/rows/{row}",
      "GET /manager/api/rows/{row}/operations",
      "GET /manager/api/rows/{row}/runs",
      "GET /manager/api/runs",
    ],
  });
  const fields = listFields(form.groups);
  // A value that was a token is blank, and must be typed again.
  const blanks = fields.filter(({ key }) => given[key] === "" && !findTyped(draft, key));
  const host = useInputHost(row.id, form.key);
  const run = (event: FormEvent) => {
    event.preventDefault();
    const call = toParams(form.groups, draft);
    setProblems(Object.fromEntries(call.problems.map(({ key, message }) => [key, message])));
    if (call.problems.length > 0) return;
    test.run({
      params: { row: row.id, operation: form.key },
      body: { params: call.params, ...(retryOf !== undefined && { retry_of: retryOf }) },
    });
  };
  const issues = { ...(test.error === null ? {} : toIssues(test.error)), ...problems };
  return (
    <>
      {retryOf !== undefined && <RetryNotice run={retryOf} hasBlanks={blanks.length > 0} />}
      <div className={styles.bench}>
        <form onSubmit={run} noValidate>
          {fields.length === 0 ? (
            <p className={styles.lead}>This operation has no inputs.</p>
          ) : (
            <FieldForm
              groups={nameGroups(form.groups)}
              draft={draft}
              onDraft={setDraft}
              host={host}
              issues={issues}
            />
          )}
          <Button type="submit" mb="md" leftSection={<Icon name="play" />} loading={test.isPending}>
            Call
          </Button>
        </form>
        <div className={styles.result} aria-live="polite">
          {test.error !== null && (
            <Alert color="red" mb="md" role="alert" title="The call failed">
              {test.error.message}
              <ProgramOutput of={test.error.detail} />
            </Alert>
          )}
          {test.data !== undefined && !test.isPending && (
            <CallResult key={test.data.run_id} result={test.data.result} run={test.data.run_id} />
          )}
        </div>
      </div>
    </>
  );
}

function RetryNotice({ run, hasBlanks }: { run: string; hasBlanks: boolean }) {
  return (
    <Alert color="blue" mb="md" icon={<Icon name="refresh" />}>
      {"Filled in from "}
      <Link to="/manager/runs/$run" params={{ run }}>
        an earlier call
      </Link>
      {". The new call is recorded as its retry."}
      {hasBlanks && " Encrypted values are blank, because they open only for who made the call."}
    </Alert>
  );
}
