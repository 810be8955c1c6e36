import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { Editor } from "./editor/editor.tsx";
import { readBody } from "./graph/body.ts";

/** The draft of a workflow as a graph to edit. */
export function EditorPage() {
  const { workflow } = useParams({ from: "/workflows/$workflow/edit" });
  const detail = useApi("GET /manager/api/workflows/{workflow}", { params: { workflow } });
  return (
    <Loaded
      of={detail}
      what="The workflow"
      skeleton={
        <Page title="Workflow">
          <PageSkeleton />
        </Page>
      }
    >
      {(found) => <Opened key={found.id} workflow={found} />}
    </Loaded>
  );
}

/** The draft as it was when the page was opened. The editor follows its own changes. */
function Opened({ workflow }: { workflow: WorkflowDetail }) {
  const [opened] = useState(workflow);
  const body = readBody(opened.body);
  if (opened.access !== "manage") {
    return (
      <Page title={opened.name}>
        <EmptyState icon="lock" title="Only the owner and admins edit this workflow">
          You can start it and see how its runs ended.
        </EmptyState>
      </Page>
    );
  }
  if (body === null) {
    return (
      <Page title={opened.name} lead="This draft cannot be drawn. Its items need an id and a type.">
        <JsonTree value={opened.body} label="Draft" />
      </Page>
    );
  }
  return <Editor workflow={opened} opened={body} />;
}
