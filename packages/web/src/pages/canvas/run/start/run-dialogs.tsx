import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { useNavigate } from "@tanstack/react-router";
import { ReplayDialog } from "../../../../workflow-parts/runs/replay-dialog.tsx";
import { LazyPart } from "../../editor/lazy-part.tsx";
import type { Body } from "../../graph/body.ts";
import type { ShownRun } from "../use-shown-run.ts";

const address = "/workflows/$workflow/runs/$run" as const;
const loadResumeDialog = () => import("../resume/resume-dialog.tsx");

type Props = {
  workflow: WorkflowDetail;
  /** What the run ran. */
  body: Body;
  run: ShownRun["run"];
  open: RunDialogName | null;
  /** Keeps its identity. */
  onClose: () => void;
};

export type RunDialogName = "resume" | "replay";

/** The questions before a run goes on or starts again. Each new run is shown. */
export function RunDialogs({ workflow, body, run, open, onClose }: Props) {
  const navigate = useNavigate({ from: address });
  const show = (next: string) => {
    onClose();
    if (next === run.id) return;
    void navigate({ to: address, params: { workflow: workflow.id, run: next } });
  };
  if (open === null) return null;
  if (open === "replay") {
    return (
      <ReplayDialog
        run={run}
        version={workflow.version}
        hasOtherDraft={workflow.draft?.is_published === false}
        onStarted={show}
        onClose={onClose}
      />
    );
  }
  return (
    <LazyPart load={loadResumeDialog} onFailed={onClose}>
      {({ ResumeDialog }) => (
        <ResumeDialog
          workflow={workflow}
          body={body}
          run={run}
          onResumed={show}
          onClose={onClose}
        />
      )}
    </LazyPart>
  );
}
