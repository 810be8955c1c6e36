import { Alert, Button, NativeSelect, Stack } from "@mantine/core";
import { useState } from "react";
import { type ApiError, asApiError } from "../../../../api/api-error.ts";
import { useApi, useApiClient } from "../../../../api/use-api.ts";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { Failure } from "../../../../ui/page/failure.tsx";
import { formatExact } from "../../../../ui/text/format.ts";
import { DryRunSwitch } from "../../../../workflow-parts/runs/dry-run-switch.tsx";
import { RunStateBadge } from "../../../../workflow-parts/runs/run-state-badge.tsx";
import { runStateNames } from "../../../../workflow-parts/runs/run-states.ts";
import type { Item } from "../../graph/body.ts";
import look from "../run.module.css";
import { StepDetails } from "../steps/step-details.tsx";
import { useShownRun } from "../use-shown-run.ts";
import { PinList } from "./pin-list.tsx";

type Props = {
  workflow: string;
  item: Item;
  /** The run that is shown on the graph. */
  run: string | null;
  /** Stores what is not saved yet, because the stored draft runs. */
  flush: () => Promise<boolean>;
  /** A text of the node that cannot be stored. */
  unread: string | null;
};

const pastMax = 50;

/** Runs one node of the draft alone, with the outputs of a past run, and shows what it did. */
export function RunOneNode({ workflow, item, run: given, flush, unread }: Props) {
  const api = useApiClient();
  const past = useApi("GET /manager/api/workflows/{workflow}/runs", {
    params: { workflow },
    query: { limit: 100 },
  });
  const runs = (past.data?.runs ?? []).filter(({ mode }) => mode !== "node").slice(0, pastMax);
  const [chosen, setChosen] = useState<string | null>(null);
  const from = chosen ?? given ?? runs[0]?.id ?? "";
  const [isDryRun, setDryRun] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const [tried, setTried] = useState<string | null>(null);
  const { shown } = useShownRun(workflow, tried);
  const start = async () => {
    setBusy(true);
    setError(null);
    try {
      if (!(await flush())) throw new Error("The draft is not saved.");
      const { run_id: id } = await api.call("POST /manager/api/workflows/{workflow}/runs", {
        params: { workflow },
        body: {
          draft: true,
          only_node: item.id,
          dry_run: isDryRun,
          draft_pins: true,
          ...(from !== "" && { pins_from: from }),
        },
      });
      setTried(id);
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="sm">
      <p className={look.soft}>
        Runs this node of the draft, and none that follows. What it reads of other nodes is what
        they gave in the run below.
      </p>
      <NativeSelect
        label="Outputs of the run"
        value={from}
        data={[
          { value: "", label: "None: only the pinned ones" },
          ...(given !== null && !runs.some(({ id }) => id === given)
            ? [{ value: given, label: "The run that is shown" }]
            : []),
          ...runs.map(({ id, state, created_at: at }) => ({
            value: id,
            label: `${formatExact(at)}, ${runStateNames[state].toLowerCase()}`,
          })),
        ]}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <PinList workflow={workflow} except={item.id} />
      <DryRunSwitch isDryRun={isDryRun} onDryRun={setDryRun} />
      {!isDryRun && (
        <Alert color="yellow">The node really runs: what it changes or sends is not undone.</Alert>
      )}
      {unread !== null && <Alert color="red">{unread}</Alert>}
      <Failure of={error} />
      <Button
        leftSection={<Icon name="play" />}
        loading={isBusy}
        disabled={unread !== null}
        onClick={() => void start()}
      >
        Run this node alone
      </Button>
      {shown !== undefined && (
        <section aria-label="Result">
          <div role="status">
            <h3 className={look.heading}>
              {"Result: "}
              <RunStateBadge state={shown.run.state} />
            </h3>
          </div>
          {shown.run.error !== null && shown.findSteps(item.id).length === 0 && (
            <p role="alert">{shown.run.error.message}</p>
          )}
          <StepDetails
            key={shown.run.id}
            run={shown.run}
            item={item}
            id={item.id}
            steps={shown.findSteps(item.id)}
          />
        </section>
      )}
    </Stack>
  );
}
