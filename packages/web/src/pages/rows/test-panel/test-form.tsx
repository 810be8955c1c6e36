import type { OperationForm } from "@hub/contract/row-settings.ts";
import { Alert } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApiClient } from "../../../api/use-api.ts";
import { CallBench } from "../../../call-parts/call-bench.tsx";
import { useCall } from "../../../call-parts/use-call.ts";
import { type Draft, findTyped, listFields } from "../../../form/field-form.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { ShownRow } from "../shown-row.ts";

type Props = {
  row: ShownRow;
  form: OperationForm;
  given: Draft;
  retryOf: string | undefined;
};

const changedRoutes = [
  "GET /manager/api/rows/{row}",
  "GET /manager/api/rows/{row}/operations",
  "GET /manager/api/rows/{row}/runs",
  "GET /manager/api/runs",
] as const;

/** The inputs of an operation, the button that tests it, and the result. */
export function TestForm({ row, form, given, retryOf }: Props) {
  const api = useApiClient();
  const [draft, setDraft] = useState(given);
  const { state, call, cancel } = useCall(
    (params, { signal }) =>
      api.call(
        "POST /manager/api/rows/{row}/operations/{operation}/test",
        {
          params: { row: row.id, operation: form.key },
          body: { params, ...(retryOf !== undefined && { retry_of: retryOf }) },
        },
        signal,
      ),
    changedRoutes,
  );
  // A value that was a token is blank, and must be typed again.
  const blanks = listFields(form.groups).filter(
    ({ key }) => given[key] === "" && !findTyped(draft, key),
  );
  return (
    <>
      {retryOf !== undefined && <RetryNotice run={retryOf} hasBlanks={blanks.length > 0} />}
      <CallBench
        row={row.id}
        form={form}
        draft={draft}
        onDraft={setDraft}
        state={state}
        onCall={call}
        onCancel={cancel}
      />
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
