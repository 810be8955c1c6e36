import type { OperationForm } from "@hub/contract/row-settings.ts";
import { Alert, Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { toIssues } from "../../../api/to-issues.ts";
import { useApiClient, useChange } from "../../../api/use-api.ts";
import {
  type Draft,
  type FormField,
  findTyped,
  listFields,
  toParams,
} from "../../../form/field-form.ts";
import { FieldForm } from "../../../form/form.tsx";
import type { FormHost } from "../../../form/form-host.ts";
import type { WidgetClick } from "../../../form/html/html-widget.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import { ProgramOutput } from "../../../ui/page/program-output.tsx";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import { TestResult } from "./test-result.tsx";

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
  const host = useFormHost(row.id, form.key);
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
            <TestResult key={test.data.run_id} result={test.data.result} run={test.data.run_id} />
          )}
        </div>
      </div>
    </>
  );
}

/** Look-ups and widgets of the inputs. */
function useFormHost(row: string, operation: string): FormHost {
  const api = useApiClient();
  return useMemo(
    () => ({
      version: 0,
      lookUp: (source: string, q: string) =>
        api.call("GET /manager/api/rows/{row}/lookup", {
          params: { row },
          query: { source, q },
        }),
      widget: ({ key }: Pick<FormField, "key">, value: string, click?: WidgetClick) =>
        api.call("POST /manager/api/rows/{row}/operations/{operation}/inputs/{input}/widget", {
          params: { row, operation, input: key },
          body: { value, ...click },
        }),
    }),
    [api, row, operation],
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

/** An operation has no configuration: its only group is its inputs. */
function nameGroups(groups: OperationForm["groups"]): OperationForm["groups"] {
  const isOnly = groups.length === 1;
  return groups.map((group) =>
    isOnly && group.title === "Configuration" ? { ...group, title: "Inputs" } : group,
  );
}
