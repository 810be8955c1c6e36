import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { useMemo } from "react";
import { IconBadge } from "../../../ui/badges/icon-badge.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { GraphPicture, PictureSkeleton } from "../../../workflow-parts/graph-picture.tsx";
import type { PictureLooks } from "../../../workflow-parts/picture/drawn-graph.tsx";
import { WorkflowRunLink } from "../../../workflow-parts/runs/run-link.tsx";
import { RunStateBadge } from "../../../workflow-parts/runs/run-state-badge.tsx";
import { readBody } from "../../canvas/graph/body.ts";
import type { ItemState } from "../../canvas/graph/flow.ts";
import { stateIcons, stateNames } from "../../canvas/view/item-states.ts";
import styles from "./overview.module.css";
import { useRunLooks } from "./use-last-run.ts";
import type { useShownBody } from "./use-shown-body.ts";

type Props = {
  workflow: WorkflowDetail;
  body: ReturnType<typeof useShownBody>;
  run: WorkflowRun | null;
  rowNames: ReadonlyMap<string, string>;
};

/** The picture of what is published, with how the last run went. */
export function PictureCard({ workflow, body, run, rowNames }: Props) {
  const { id, name, version, draft } = workflow;
  const looks = useRunLooks(workflow, run);
  const isOther = !body.isDraft && draft?.is_published === false;
  return (
    <Card title={body.isDraft ? "Draft, never published" : `Version ${version}, published`}>
      <Loaded of={body} what="The picture" skeleton={<PictureSkeleton />}>
        {(shown) => (
          <>
            <GraphPicture
              body={shown.body}
              label={`Picture of ${name}`}
              workflow={id}
              rowNames={rowNames}
              {...(looks !== undefined && { looks })}
            />
            <p className={styles.under}>
              <LastRun workflow={workflow} run={run} />
              {looks !== undefined && <Legend body={shown.body} looks={looks} />}
              {isOther && <span>Steps open in the draft, which differs from this version.</span>}
            </p>
          </>
        )}
      </Loaded>
    </Card>
  );
}

function LastRun({ workflow, run }: Pick<Props, "workflow" | "run">) {
  if (run === null) return <span>No run yet</span>;
  const isOfShown = (run.version ?? 0) === workflow.version;
  return (
    <span className={styles.last}>
      <WorkflowRunLink workflow={workflow.id} run={run.id}>
        Last run
      </WorkflowRunLink>
      <RunStateBadge state={run.state} />
      <TimeAt at={run.ended_at ?? run.started_at ?? run.created_at} isRelative />
      {!isOfShown && (
        <span>{run.version === null ? "of a draft" : `of version ${run.version}`}</span>
      )}
    </span>
  );
}

const tones = {
  running: "off",
  succeeded: "good",
  failed: "bad",
  skipped: "off",
  waiting: "warn",
  cancelled: "off",
  unknown: "warn",
} as const satisfies Record<ItemState, string>;

/** How many steps are in each state. */
function Legend({ body, looks }: { body: unknown; looks: PictureLooks }) {
  const counts = useMemo(() => {
    const read = readBody(body);
    const items = read === null ? [] : [...read.triggers, ...read.nodes];
    return Map.groupBy(items, ({ id }) => looks.toLook(id).state);
  }, [body, looks]);
  return Object.keys(tones).map((one) => {
    // Its names are the states.
    const state = one as ItemState;
    const count = counts.get(state)?.length ?? 0;
    if (count === 0) return null;
    return (
      <IconBadge key={state} icon={stateIcons[state]} tone={tones[state]}>
        {`${stateNames[state]}: ${count} ${count === 1 ? "step" : "steps"}`}
      </IconBadge>
    );
  });
}
