import { Alert } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApiClient } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { CallBench } from "../../call-parts/call-bench.tsx";
import { CallList } from "../../call-parts/call-list.tsx";
import styles from "../../call-parts/call-parts.module.css";
import { type CallParams, useCall } from "../../call-parts/use-call.ts";
import { useCallList } from "../../call-parts/use-call-list.ts";
import { recordedRoutes } from "../../call-parts/use-sending.ts";
import type { Draft } from "../../form/field-form.ts";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import { Card } from "../../ui/page/card.tsx";
import { mayTest } from "../rows/shown-row.ts";
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
      <CallList />
    </>
  );
}

function CallForm({ found: { row, operation, form }, draft, onDraft }: Props) {
  const api = useApiClient();
  const { state, call, cancel } = useCall(
    (params, { signal, onProgress }) =>
      api.follow(
        "POST /manager/api/operations/{row}/{operation}/call",
        { params: { row: row.id, operation: form.key }, body: { params } },
        onProgress,
        signal,
      ),
    recordedRoutes,
  );
  const [asked, setAsked] = useState<CallParams | null>(null);
  const { add, isFull } = useCallList();
  const addToList = (params: CallParams) =>
    add({ toolId: operation.tool_id, name: operation.name, row: row.label, params });
  return (
    <>
      <CallBench
        row={row.id}
        form={form}
        draft={draft}
        onDraft={onDraft}
        state={state}
        onCall={operation.destructive ? setAsked : call}
        onCancel={cancel}
        {...(!operation.destructive && { onAdd: isFull ? null : addToList })}
      >
        <p className={styles.lead}>
          {
            "The hub treats it as a call of your clients: the same checks, limits and answer. It is recorded as your test in "
          }
          <Link to="/manager/runs" search={{ source: "test" }}>
            Calls
          </Link>
          .
        </p>
      </CallBench>
      <CallList />
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
    </>
  );
}
