import { listDisabledNodes } from "@hub/contract/disabled-nodes.ts";
import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import type { ReactNode } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/use-api.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { Difference } from "../difference/difference.tsx";
import styles from "../workflows.module.css";
import { ProblemList } from "./body-problem-list.tsx";
import { OpenedList } from "./opened-list.tsx";

type Props = { workflow: WorkflowDetail };

type ProblemsProps = Props & {
  check: { data: { problems: readonly WorkflowProblem[] } | undefined; error: ApiError | null };
  /** Shows the trigger or node of a problem. */
  onGo: (id: string) => void;
  onRetry: () => void;
};

/** What is wrong with the draft. */
export function ProblemsPart({ workflow, check, onGo, onRetry }: ProblemsProps) {
  return (
    <Part title="Problems">
      <Loaded
        of={{
          data: check.data?.problems,
          error: check.error,
          refetch: onRetry,
        }}
        what="The problems"
        skeleton={<PageSkeleton lines={2} />}
      >
        {(found) =>
          found.length === 0 ? (
            <p>The draft has no problems.</p>
          ) : (
            <ProblemList problems={found} body={workflow.body} onGo={onGo} />
          )
        }
      </Loaded>
    </Part>
  );
}

/** What the draft will not run. Nothing if it runs all of it. */
export function DisabledPart({ workflow: { body } }: Props) {
  const off = listDisabledNodes(body);
  if (off.length === 0) return null;
  return (
    <Part title="Switched off">
      <p>These steps run nothing, and pass on the output of the step before them:</p>
      <ul>
        {off.slice(0, disabledMax).map(({ name }, at) => (
          // Ids of a draft may be there twice.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is drawn as a whole.
          <li key={at}>{name}</li>
        ))}
      </ul>
      {off.length > disabledMax && <p>{`And ${off.length - disabledMax} more.`}</p>}
    </Part>
  );
}

const disabledMax = 20;

/** What the draft changes in the published version. Not asked before the first publication. */
export function useDifference({ id, version }: WorkflowDetail) {
  return useApi(
    "GET /manager/api/workflows/{workflow}/diff",
    { params: { workflow: id } },
    { isOn: version > 0 },
  );
}

type ChangesProps = Props & { difference: ReturnType<typeof useDifference> };

/** What the draft changes in the published version. */
export function ChangesPart({ workflow: { id, version }, difference }: ChangesProps) {
  return (
    <Part title={version === 0 ? "What changes" : `What changes since version ${version}`}>
      {version === 0 ? (
        <p>This is the first version. Its triggers start runs as soon as it is published.</p>
      ) : (
        <Loaded of={difference} what="The difference" skeleton={<PageSkeleton lines={2} />}>
          {(found) => (
            <Difference
              workflow={id}
              older={String(version)}
              newer="draft"
              difference={found.difference}
            />
          )}
        </Loaded>
      )}
    </Part>
  );
}

/** What people who may start the workflow make its owner call. Not asked if only its owner and admins start it. */
export function useOpened(workflow: WorkflowDetail) {
  return useApi(
    "GET /manager/api/workflows/{workflow}/opened",
    { params: { workflow: workflow.id } },
    { isOn: isOpenedToOthers(workflow) },
  );
}

function isOpenedToOthers({ tags, run_by: runBy }: WorkflowDetail): boolean {
  return tags.length > 0 && runBy === "tags";
}

type OpenedProps = Props & { opened: ReturnType<typeof useOpened> };

/** What the draft lets other users do. */
export function OpenedPart({ workflow, opened }: OpenedProps) {
  const { tags } = workflow;
  const isOpened = isOpenedToOthers(workflow);
  return (
    <Part title="What it opens to others">
      {hasTool(workflow.body) && (
        <p>
          {isOpened
            ? `It becomes a tool of its own for clients of users with the tag ${tags.join(" or ")}.`
            : "It becomes a tool of its own for clients of admins, because users with a tag may not start it."}
        </p>
      )}
      {isOpened ? (
        <Loaded of={opened} what="The operations" skeleton={<PageSkeleton lines={2} />}>
          {(found) =>
            found.draft.length === 0 ? (
              <p>The draft calls nothing outside.</p>
            ) : (
              <>
                <p>
                  {`Users with the tag ${tags.join(" or ")} may start it, and so make its owner call:`}
                </p>
                <OpenedList opened={found.draft} before={found.published} />
              </>
            )
          }
        </Loaded>
      ) : (
        <p>
          {tags.length === 0
            ? "Nothing: it has no tags, so only its owner and admins start it by hand."
            : "Nothing: only its owner and admins start it by hand."}
        </p>
      )}
    </Part>
  );
}

function hasTool(body: unknown): boolean {
  return hasTrigger(body, ({ type, as_tool: isTool }) => type === "manual" && isTool === true);
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.part}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** Whether a draft, which may have errors, has such a trigger. */
export function hasTrigger(
  body: unknown,
  matches: (trigger: Record<string, unknown>) => boolean,
): boolean {
  const { triggers } = Object(body);
  return Array.isArray(triggers) && triggers.some((one) => matches(Object(one)));
}
