import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../../../ui/badges/badge.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import type { DraftEditor } from "./draft/use-draft.ts";
import styles from "./editor.module.css";

type Props = {
  workflow: WorkflowDetail;
  draft: DraftEditor;
  onAdd: () => void;
  onHelp: () => void;
  /** Run and Publish. */
  children?: ReactNode;
};

/** The name of the workflow, whether the draft is saved and published, and what can be done. */
export function Toolbar({ workflow, draft, onAdd, onHelp, children }: Props) {
  return (
    <header className={styles.bar}>
      <div className={styles.titles}>
        <h1 className={styles.title}>
          <Link to="/workflows/$workflow" params={{ workflow: workflow.id }}>
            {workflow.name}
          </Link>
        </h1>
        <Badge
          tone={draft.save.kind === "saved" && workflow.draft?.is_published ? "info" : "plain"}
        >
          {describeDraft(workflow, draft)}
        </Badge>
        <SaveMark draft={draft} />
      </div>
      <div className={styles.actions}>
        <IconButton icon="info" label="Keys of the graph" onClick={onHelp} />
        <IconButton icon="undo" label="Undo" disabled={!draft.canUndo} onClick={draft.undo} />
        <IconButton icon="redo" label="Redo" disabled={!draft.canRedo} onClick={draft.redo} />
        <Button variant="default" leftSection={<Icon name="plus" />} onClick={onAdd}>
          Add
        </Button>
        {children}
      </div>
    </header>
  );
}

function describeDraft({ version, draft }: WorkflowDetail, { save }: DraftEditor): string {
  if (version === 0) return "Draft, never published";
  const isPublished = draft?.is_published === true && save.kind === "saved";
  return isPublished ? `Published, version ${version}` : `Draft, differs from version ${version}`;
}

function SaveMark({ draft }: { draft: DraftEditor }) {
  const { save } = draft;
  return (
    <span className={styles.saved} role="status" data-bad={save.kind === "failed" || undefined}>
      {save.kind === "saved" && "Saved"}
      {save.kind === "changed" && "Changed"}
      {save.kind === "saving" && "Saving…"}
      {save.kind === "conflict" && "Not saved"}
      {save.kind === "failed" && (
        <>
          {`Not saved. ${save.error.message} `}
          <Button size="compact-xs" variant="default" onClick={() => void draft.flush()}>
            Save again
          </Button>
        </>
      )}
    </span>
  );
}
