import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { JsonTree } from "../../ui/json/json-tree.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { LoadedPage } from "../../ui/page/loaded-page.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { Editor } from "./editor/editor.tsx";
import { readBody } from "./graph/body.ts";
import { ReadDraft } from "./read-draft.tsx";
import { CanvasSkeleton } from "./view/canvas-skeleton.tsx";

/** The draft of a workflow as a graph to edit. */
export function EditorPage() {
  const { workflow } = useParams({ from: "/workflows/$workflow/edit" });
  const detail = useApi("GET /manager/api/workflows/{workflow}", { params: { workflow } });
  return (
    <LoadedPage
      of={detail}
      what="The workflow"
      title="Workflow"
      parent={<Link to="/workflows">Workflows</Link>}
      skeleton={<CanvasSkeleton />}
    >
      {(found) => <Opened key={found.id} workflow={found} />}
    </LoadedPage>
  );
}

/** The draft as it was when the page was opened. The editor follows its own changes. */
function Opened({ workflow }: { workflow: WorkflowDetail }) {
  const [opened] = useState(workflow);
  const body = readBody(opened.body);
  if (opened.access === "see") {
    return (
      <Page title={opened.name}>
        <EmptyState icon="lock" title="Only the owner and admins see how this workflow is built">
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
  if (opened.access === "accept") return <ReadDraft workflow={opened} body={body} />;
  return <Editor workflow={opened} opened={body} />;
}
