import { formatCount } from "../../../ui/text/format.ts";
import type { ShownRun } from "../run/use-shown-run.ts";
import { BottomPanel } from "./bottom-panel.tsx";
import type { DraftEditor } from "./draft/use-draft.ts";
import { LazyPart } from "./lazy-part.tsx";
import { ProblemList } from "./problems/draft-problem-list.tsx";
import type { ItemProblem } from "./problems/draft-problems.ts";

export type EditorList = "problems" | "outline" | "words" | "steps";

type Props = {
  open: EditorList | null;
  onOpen: (list: EditorList | null) => void;
  workflow: string;
  draft: DraftEditor;
  problems: readonly ItemProblem[];
  selected: ReadonlySet<string>;
  /** The run that is shown on the graph. */
  shown: ShownRun | undefined;
  onGo: (id: string) => void;
};

const loadOutline = () => import("./outline.tsx");
const loadDraftInWords = () => import("./draft/draft-in-words.tsx");
const loadSteps = () => import("../run/steps/step-list.tsx");
const nothing = () => {};

/** Below the graph: problems, the outline, the draft in words, and the steps of the run that is shown. */
export function EditorPanel(props: Props) {
  const { open, onOpen, workflow, draft, problems, selected, shown, onGo } = props;
  const { body } = draft;
  return (
    <BottomPanel
      open={open}
      onOpen={onOpen}
      tabs={[
        {
          name: "problems",
          label: describeProblems(problems),
          content: () => <ProblemList body={body} problems={problems} onGo={onGo} />,
        },
        {
          name: "outline",
          label: "Outline",
          content: () => (
            <LazyPart load={loadOutline} onFailed={nothing}>
              {({ Outline }) => <Outline body={body} selected={selected} onGo={onGo} />}
            </LazyPart>
          ),
        },
        {
          name: "words",
          label: "In words",
          content: () => (
            <LazyPart load={loadDraftInWords} onFailed={nothing}>
              {({ DraftInWords }) => <DraftInWords workflow={workflow} draft={draft} onGo={onGo} />}
            </LazyPart>
          ),
        },
        ...(shown === undefined
          ? []
          : [
              {
                name: "steps" as const,
                label: "Steps of the run",
                content: () => (
                  <LazyPart load={loadSteps} onFailed={nothing}>
                    {({ StepList }) => (
                      <StepList body={body} steps={shown.steps} selected={selected} onGo={onGo} />
                    )}
                  </LazyPart>
                ),
              },
            ]),
      ]}
    />
  );
}

function describeProblems(problems: readonly ItemProblem[]): string {
  if (problems.length === 0) return "No problems";
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  return [
    ...(errors > 0 ? [formatCount(errors, "error")] : []),
    ...(warnings > 0 ? [formatCount(warnings, "warning")] : []),
  ].join(", ");
}
