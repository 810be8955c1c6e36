import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowResume, WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Button, Group, Radio, Stack, Textarea } from "@mantine/core";
import { useMemo, useState } from "react";
import { useApi, useChange } from "../../../../api/use-api.ts";
import { Dialog } from "../../../../ui/dialogs/dialog.tsx";
import { UnsavedQuestion } from "../../../../ui/dialogs/unsaved-question.tsx";
import { Failure } from "../../../../ui/page/failure.tsx";
import { Loaded } from "../../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../../ui/page/page-skeleton.tsx";
import { formatNumber } from "../../../../ui/text/format.ts";
import { workflowRunRoutes } from "../../../../workflow-parts/workflow-routes.ts";
import type { Body } from "../../graph/body.ts";
import look from "../run.module.css";
import {
  type Choice,
  type Choices,
  listQuestions,
  type Question,
  readDecisions,
} from "./decisions.ts";
import { createStepNames } from "./name-steps.ts";

type Props = {
  workflow: WorkflowDetail;
  /** What the run ran. Its steps are named as on the graph. */
  body: Body;
  run: WorkflowRun;
  /** The run that goes on: this one, or a new one. */
  onResumed: (run: string) => void;
  onClose: () => void;
};

type ResumeBody = "then" | "draft" | "published";

/** Lets a failed run, or one that waits for a person, go on from where it stopped. */
export function ResumeDialog({ workflow, body: ran, run, onResumed, onClose }: Props) {
  const toName = useMemo(() => createStepNames(ran), [ran]);
  const isWaiting = run.state === "waiting";
  const [body, setBody] = useState<ResumeBody>("then");
  const params = { workflow: workflow.id, run: run.id };
  const plan = useApi("GET /manager/api/workflows/{workflow}/runs/{run}/resume", {
    params,
    query: { body },
  });
  const bodies: Array<{ value: ResumeBody; label: string }> = [
    {
      value: "then",
      label: run.version === null ? "The draft of that time" : `Version ${run.version}, as it ran`,
    },
    { value: "draft", label: "The draft of now" },
    ...(workflow.version > 0
      ? [{ value: "published" as const, label: `The published version ${workflow.version}` }]
      : []),
  ];
  return (
    <Dialog onClose={onClose} title={isWaiting ? "How did it end?" : "Resume this run?"} size="lg">
      <Stack gap="md">
        {isWaiting && (
          <div>
            The hub does not know whether this took effect. Look at the other system before you
            decide.
          </div>
        )}
        {!isWaiting && (
          <Radio.Group
            label="Go on with"
            value={body}
            onChange={(next) =>
              setBody(bodies.find(({ value }) => value === next)?.value ?? "then")
            }
          >
            <Stack gap="xs" mt="xs">
              {bodies.map((one) => (
                <Radio key={one.value} {...one} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <Loaded of={plan} what="What a resume does" skeleton={<PageSkeleton lines={3} />}>
          {(found) => (
            <Plan
              key={body}
              plan={found}
              toName={toName}
              body={body}
              params={params}
              onResumed={onResumed}
              onClose={onClose}
            />
          )}
        </Loaded>
      </Stack>
    </Dialog>
  );
}

type PlanProps = Pick<Props, "onResumed" | "onClose"> & {
  plan: WorkflowResume;
  toName: (id: string) => string;
  body: ResumeBody;
  params: { workflow: string; run: string };
};

function Plan({ plan, toName, body, params, onResumed, onClose }: PlanProps) {
  const { is_same_run: isSame, taken_over: kept, runs_again: again, undecided } = plan;
  const questions = listQuestions(undecided, toName);
  const asked = new Set(undecided.map(({ node_id: node }) => node));
  const toList = (nodes: readonly string[]) => describeNodes(nodes, toName);
  const [choices, setChoices] = useState<Choices>({});
  const read = readDecisions(questions, choices);
  const resume = useChange("POST /manager/api/workflows/{workflow}/runs/{run}/resume", {
    refreshes: workflowRunRoutes,
    onDone: ({ run_id: id }) => onResumed(id),
  });
  return (
    <Stack gap="md">
      {!isSame && (
        <div>
          <p>A new run begins. This one stays as it is.</p>
          <ul className={look.plan}>
            <li>{`Taken over, not run again: ${toList(kept)}.`}</li>
            <li>{`Run again: ${toList(again.filter((node) => !asked.has(node)))}.`}</li>
            {asked.size > 0 && <li>{`You decide below: ${toList([...asked])}.`}</li>}
          </ul>
        </div>
      )}
      {questions.map((question) => (
        <QuestionFields
          key={question.key}
          question={question}
          choice={choices[question.key]}
          problem={read.problems[question.key]}
          onChoice={(next) => setChoices((before) => ({ ...before, [question.key]: next }))}
        />
      ))}
      <UnsavedQuestion isDirty={Object.keys(read.problems).length > 0}>
        The output that you typed is not valid JSON and will be lost.
      </UnsavedQuestion>
      <Failure of={resume.error} />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          disabled={!read.isComplete}
          loading={resume.isPending}
          onClick={() =>
            resume.run({
              params,
              body: { ...(!isSame && { body }), decisions: read.decisions },
            })
          }
        >
          {isSame ? "Go on" : "Resume"}
        </Button>
      </Group>
    </Stack>
  );
}

const listedMax = 20;

function describeNodes(nodes: readonly string[], toName: (id: string) => string): string {
  if (nodes.length === 0) return "none";
  const more = nodes.length - listedMax;
  const names = nodes.slice(0, listedMax).map(toName).join(", ");
  return more > 0 ? `${names} and ${formatNumber(more)} more` : names;
}

type QuestionProps = {
  question: Question;
  choice: Choice | undefined;
  problem: string | undefined;
  onChoice: (choice: Choice) => void;
};

function QuestionFields({ question, choice, problem, onChoice }: QuestionProps) {
  const { title, message } = question;
  const output = choice?.output ?? "null";
  return (
    <Radio.Group
      label={title}
      description={message}
      value={choice?.decision ?? ""}
      onChange={(next) => {
        const decision = (["succeeded", "repeat", "failed"] as const).find((one) => one === next);
        if (decision !== undefined) onChoice({ decision, output });
      }}
    >
      <Stack gap="xs" mt="xs">
        <Radio
          value="succeeded"
          label="It happened"
          description="It is not called again. Later steps read the output that you give here."
        />
        {choice?.decision === "succeeded" && (
          <Textarea
            ml="xl"
            label="Output"
            description="As JSON."
            aria-label={`Output of ${title}`}
            autosize
            minRows={1}
            maxRows={8}
            spellCheck={false}
            value={output}
            error={problem}
            onChange={(event) =>
              onChoice({ decision: "succeeded", output: event.currentTarget.value })
            }
          />
        )}
        <Radio
          value="repeat"
          label="Repeat"
          description="It is called again with the same idempotency key. A system that knows such keys drops the repetition; any other may carry it out twice."
        />
        <Radio
          value="failed"
          label="Fail"
          description="It counts as failed, and is not called again. What then follows is what the node says under If it fails."
        />
      </Stack>
    </Radio.Group>
  );
}
