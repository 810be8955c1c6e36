import type { ListedOperation } from "@hub/contract/row.ts";
import type { OperationForm } from "@hub/contract/row-settings.ts";
import { Alert, Button, Tabs } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { toIssues } from "../../api/to-issues.ts";
import { useApi, useApiClient, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import {
  type Draft,
  type FormField,
  findTyped,
  listFields,
  toDraft,
  toParams,
} from "../../form/field-form.ts";
import { FieldForm } from "../../form/form.tsx";
import type { WidgetClick } from "../../form/html/html-widget.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { ClientView } from "./client-view.tsx";
import { OperationSelect } from "./operation-select.tsx";
import type { RowSearch } from "./row-search.ts";
import styles from "./rows.module.css";
import type { ShownRow } from "./shown-row.ts";

const watchMs = 10_000;

type Props = { row: ShownRow; search: RowSearch };

/** Calls an operation with params from a form, as a test or as the retry of an earlier run. */
export function TestTab({ row, search }: Props) {
  const { operation, reading } = useChosen(row, search.op);
  return (
    <Loaded of={reading} what="The operation" skeleton={<PageSkeleton lines={4} />}>
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
      <SetupNotice row={row} operation={operation} />
      {operation.review && (
        <Alert color="yellow" mb="md" icon={<Icon name="warning" />}>
          {reviewTexts[operation.review]}
        </Alert>
      )}
      {!operation.enabled && (
        <Alert color="blue" mb="md">
          {isAdmin
            ? "This operation is disabled: clients cannot call it. A test calls it anyway."
            : "This operation is disabled: it cannot be called or tested. Ask an admin to enable it."}
        </Alert>
      )}
      {operation.destructive && (
        <Alert color="yellow" mb="md" icon={<Icon name="warning" />}>
          This operation is destructive. A test changes the outside system like any other call.
        </Alert>
      )}
      <Panel
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

const waitingText =
  "This operation waits for a review, and clients cannot call it. Review it on the tab Operations before you test it.";

const reviewTexts = {
  new: waitingText,
  changed: waitingText,
  invalid:
    "The outside system describes this operation in a way that the hub cannot use now, and clients cannot call it. The tab Operations shows the reason.",
  gone: "The outside system does not offer this operation any more. A test may fail.",
} as const;

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

/** Leads to what a call needs. Operations for tests only, such as widgets, work before it is set. */
function SetupNotice({ row, operation }: { row: ShownRow; operation: ListedOperation }) {
  const { isAdmin } = useMe();
  if (row.missing === null || row.missing.length === 0 || operation.test_only) return null;
  if (!isAdmin) {
    return (
      <Alert color="yellow" mb="md" title="Needs setup" icon={<Icon name="warning" />}>
        This row cannot be called until an admin sets what is missing.
      </Alert>
    );
  }
  return (
    <Alert color="yellow" mb="md" title="Needs setup" icon={<Icon name="warning" />}>
      {"This row cannot be called until what is missing is set. Go to its "}
      <Link
        to="/manager/connectors/$key/$row"
        params={{ key: row.connector, row: row.id }}
        search={{ tab: "settings" }}
      >
        settings
      </Link>
      .
    </Alert>
  );
}

type PanelProps = {
  row: ShownRow;
  operation: string;
  prefill: string | undefined;
  given: RowSearch["params"];
};

function Panel({ row, operation, prefill, given = {} }: PanelProps) {
  const params = { row: row.id, operation };
  const form = useApi("GET /manager/api/rows/{row}/operations/{operation}", { params });
  const earlier = useApi(
    "GET /manager/api/runs/{run}/form",
    { params: { run: prefill ?? "" } },
    { isOn: prefill !== undefined },
  );
  return (
    <Loaded of={form} what="The inputs" skeleton={<PageSkeleton lines={4} />}>
      {(found) =>
        prefill === undefined ? (
          <CallForm
            row={row}
            form={found}
            given={toDraft(found.groups, given)}
            retryOf={undefined}
          />
        ) : (
          <Loaded of={earlier} what="The earlier run" skeleton={<PageSkeleton lines={4} />}>
            {(run) => (
              <CallForm
                row={row}
                form={found}
                given={toDraft(found.groups, run.params)}
                retryOf={prefill}
              />
            )}
          </Loaded>
        )
      }
    </Loaded>
  );
}

type CallFormProps = {
  row: ShownRow;
  form: OperationForm;
  given: Draft;
  retryOf: string | undefined;
};

function CallForm({ row, form, given, retryOf }: CallFormProps) {
  const api = useApiClient();
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
  const host = useMemo(
    () => ({
      version: 0,
      lookUp: (source: string, q: string) =>
        api.call("GET /manager/api/rows/{row}/lookup", {
          params: { row: row.id },
          query: { source, q },
        }),
      widget: ({ key }: FormField, value: string, click?: WidgetClick) =>
        api.call("POST /manager/api/rows/{row}/operations/{operation}/inputs/{input}/widget", {
          params: { row: row.id, operation: form.key, input: key },
          body: { value, ...click },
        }),
    }),
    [api, row.id, form.key],
  );
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
      {retryOf !== undefined && (
        <Alert color="blue" mb="md" icon={<Icon name="refresh" />}>
          {"Filled in from "}
          <Link to="/manager/runs/$run" params={{ run: retryOf }}>
            an earlier run
          </Link>
          {". The new run is recorded as its retry."}
          {blanks.length > 0 &&
            " Encrypted values are blank, because they open only for who made the call."}
        </Alert>
      )}
      <div className={styles.bench}>
        <form onSubmit={run} noValidate>
          {fields.length === 0 ? (
            <p className={styles.lead}>This operation has no inputs.</p>
          ) : (
            <FieldForm
              groups={form.groups.map((group) => ({
                ...group,
                title:
                  form.groups.length === 1 && group.title === "Configuration"
                    ? "Inputs"
                    : group.title,
              }))}
              draft={draft}
              onDraft={setDraft}
              host={host}
              issues={issues}
            />
          )}
          <Button type="submit" mb="md" leftSection={<Icon name="play" />} loading={test.isPending}>
            Run
          </Button>
        </form>
        <div className={styles.result} aria-live="polite">
          {test.error !== null && (
            <Alert color="red" mb="md" role="alert" title="The call failed">
              {test.error.message}
            </Alert>
          )}
          {test.data !== undefined && !test.isPending && (
            <Result key={test.data.run_id} result={test.data.result} run={test.data.run_id} />
          )}
        </div>
      </div>
    </>
  );
}

function Result({ result, run }: { result: unknown; run: string }) {
  return (
    <Card
      title="Result"
      actions={
        <Link to="/manager/runs/$run" params={{ run }}>
          Recorded run
        </Link>
      }
    >
      <Tabs defaultValue="tree" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="tree">Tree</Tabs.Tab>
          <Tabs.Tab value="client">As a client sees it</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tree">
          <JsonTree value={result} label="Result" />
        </Tabs.Panel>
        <Tabs.Panel value="client">
          <ClientView result={result} />
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}
