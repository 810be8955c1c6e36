import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { SegmentedControl } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Explanation } from "../../workflow-parts/explanation.tsx";
import type { WorkflowSearch } from "./workflow-search.ts";

const address = "/workflows/$workflow" as const;

/** The workflow in words: its draft, or what is published. */
export function WordsTab({ workflow }: { workflow: WorkflowDetail }) {
  const { id, version, draft } = workflow;
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const shown = version === 0 || search.version === "draft" ? "draft" : String(version);
  const hasBoth = version > 0 && draft?.is_published === false;
  return (
    <>
      {hasBoth && (
        <SegmentedControl
          aria-label="What is explained"
          mb="md"
          value={shown}
          data={[
            { value: String(version), label: `Published version ${version}` },
            { value: "draft", label: "Draft" },
          ]}
          onChange={(next) =>
            void navigate({
              search: ({ version: _, ...rest }: WorkflowSearch) =>
                next === "draft" ? { ...rest, version: next } : rest,
              replace: true,
            })
          }
        />
      )}
      <Explanation
        workflow={id}
        version={shown}
        revision={draft?.revision}
        onGo={(node) =>
          void navigate({
            to: "/workflows/$workflow/edit",
            params: { workflow: id },
            search: { node },
          })
        }
      />
    </>
  );
}
