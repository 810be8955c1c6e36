import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Group, NativeSelect, Radio, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type ApiError, asApiError } from "../../../../api/api-error.ts";
import { readAgain } from "../../../../api/read-again.ts";
import { toIssues } from "../../../../api/to-issues.ts";
import { useApi, useApiClient } from "../../../../api/use-api.ts";
import { Dialog } from "../../../../ui/dialogs/dialog.tsx";
import { formatExact } from "../../../../ui/text/format.ts";
import { DryRunSwitch } from "../../../../workflow-parts/runs/dry-run-switch.tsx";
import {
  EventFields,
  RunFormEnd,
  readEvent,
  type TypedEvent,
} from "../../../../workflow-parts/runs/event-fields.tsx";
import { runStateNames } from "../../../../workflow-parts/runs/run-states.ts";
import { workflowRunRoutes } from "../../../../workflow-parts/workflow-routes.ts";
import type { Body, Item } from "../../graph/body.ts";
import { toTitle } from "../../graph/describe-item.ts";
import { PinList } from "./pin-list.tsx";
import { toSamplePayload } from "./sample-payload.ts";
import { startDraft } from "./start-draft.ts";

type Props = {
  workflow: string;
  body: Body;
  /** The trigger that is chosen at first. */
  trigger: string | null;
  /** Stores what is not saved yet, because the stored draft runs. */
  flush: () => Promise<boolean>;
  onStarted: (run: string) => void;
  onClose: () => void;
};

const pastMax = 20;

/** Runs the draft by a trigger, with a typed payload or the event of a past run. */
export function RunDialog(props: Props) {
  const { body, onClose } = props;
  const manual = body.triggers.find(({ type }) => type === "manual");
  const [chosen, setChosen] = useState(props.trigger ?? manual?.id ?? body.triggers[0]?.id);
  const trigger = body.triggers.find(({ id }) => id === chosen);
  return (
    <Dialog onClose={onClose} title="Run the draft" size="lg">
      {trigger === undefined ? (
        <p>Add a trigger first: it says where a run begins, and what its event is.</p>
      ) : (
        <Stack gap="md">
          {body.triggers.length > 1 && (
            <NativeSelect
              label="Trigger"
              value={trigger.id}
              data={body.triggers.map((one) => ({
                value: one.id,
                label: `${toTitle(one, true)} (${one.id})`,
              }))}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
          )}
          <EventForm key={trigger.id} {...props} of={trigger} />
        </Stack>
      )}
    </Dialog>
  );
}

function EventForm({ workflow, of: trigger, flush, onStarted, onClose }: Props & { of: Item }) {
  const api = useApiClient();
  const queries = useQueryClient();
  const params = { workflow };
  const past = useApi("GET /manager/api/workflows/{workflow}/runs", {
    params,
    query: { limit: 100 },
  });
  const manual = useApi(
    "GET /manager/api/workflows/{workflow}/manual",
    { params, query: { body: "draft" } },
    { isOn: trigger.type === "manual" && Array.isArray(trigger.input) },
  );
  const events = (past.data?.runs ?? [])
    .filter(({ trigger_id: id }) => id === trigger.id)
    .slice(0, pastMax);
  const form = manual.data?.triggers.find(
    ({ id, takes_fields }) => id === trigger.id && takes_fields,
  );
  const groups = form?.groups ?? null;
  const [source, setSource] = useState<Source>("typed");
  const [run, setRun] = useState("");
  const [event, setEvent] = useState<TypedEvent>(() => ({
    draft: {},
    payload: JSON.stringify(toSamplePayload(trigger), null, 2),
  }));
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isDryRun, setDryRun] = useState(false);

  const start = async (): Promise<void> => {
    const call = readEvent(groups, event);
    const found = source === "past" ? [] : call.problems;
    setProblems(Object.fromEntries(found.map(({ key, message }) => [key, message])));
    if (found.length > 0) return;
    setBusy(true);
    setError(null);
    try {
      if (!(await flush())) {
        setProblems({
          payload: "The draft is not saved, so it cannot run. Close this and look why.",
        });
        return;
      }
      const past = run === "" ? (events[0]?.id ?? "") : run;
      const given = {
        trigger: trigger.id,
        payload: call.params,
        past: source === "past" ? past : null,
      };
      const started = await startDraft(api, { workflow, ...given, isDryRun });
      // The next dialog offers the event of this run.
      void readAgain(queries, workflowRunRoutes);
      onStarted(started.run_id);
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  const issues = { ...(error === null ? {} : toIssues(error)), ...problems };
  return (
    <form
      noValidate
      onSubmit={(submitted: FormEvent) => {
        submitted.preventDefault();
        void start();
      }}
    >
      <Stack gap="md">
        {events.length > 0 && <SourceChoice source={source} onSource={setSource} />}
        {source === "past" ? (
          <PastRuns runs={events} run={run} onRun={setRun} />
        ) : (
          <EventFields groups={groups} event={event} issues={issues} onEvent={setEvent} />
        )}
        <DryRunSwitch isDryRun={isDryRun} onDryRun={setDryRun} />
        {isDryRun && <PinList workflow={workflow} />}
        <RunFormEnd error={error} isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  );
}

type Source = "typed" | "past";

function SourceChoice({
  source,
  onSource,
}: {
  source: Source;
  onSource: (source: Source) => void;
}) {
  return (
    <Radio.Group
      label="Event"
      value={source}
      onChange={(value) => onSource(value === "past" ? "past" : "typed")}
    >
      <Group gap="md" mt="xs">
        <Radio value="typed" label="Typed here" />
        <Radio value="past" label="Of a past run" />
      </Group>
    </Radio.Group>
  );
}

type PastProps = {
  runs: readonly WorkflowRun[];
  run: string;
  onRun: (run: string) => void;
};

function PastRuns({ runs, run, onRun }: PastProps) {
  return (
    <NativeSelect
      label="Past run"
      value={run}
      data={runs.map(({ id, state, created_at: at }) => ({
        value: id,
        label: `${formatExact(at)}, ${runStateNames[state].toLowerCase()}`,
      }))}
      onChange={(event) => onRun(event.currentTarget.value)}
    />
  );
}
