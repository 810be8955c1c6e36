import type { WorkflowVersion } from "@hub/contract/workflow.ts";
import { Button, Group } from "@mantine/core";
import { Badge } from "../../ui/badges/badge.tsx";
import type { Column } from "../../ui/tables/data-table.tsx";
import { TimeAt } from "../../ui/text/time-at.tsx";
import styles from "./workflows.module.css";

type ColumnsProps = {
  onShow: (version: WorkflowVersion) => void;
  onRestore: ((version: WorkflowVersion) => void) | null;
};

/** The publications of a workflow as a table, with what can be done with each. */
export function toVersionColumns({
  onShow,
  onRestore,
}: ColumnsProps): Array<Column<WorkflowVersion>> {
  return [
    {
      key: "version",
      header: "Version",
      width: "minmax(9rem, 1fr)",
      render: ({ version, is_published: isPublished, is_draft: isDraft }) => (
        <span className={styles.badges}>
          {`Version ${version}`}
          {isPublished && <Badge tone="info">Published</Badge>}
          {isDraft && <Badge>Same as the draft</Badge>}
        </span>
      ),
    },
    {
      key: "note",
      header: "Note",
      width: "minmax(8rem, 3fr)",
      render: ({ note }) => <span title={note}>{note || "–"}</span>,
    },
    {
      key: "by",
      header: "Published by",
      width: "minmax(6rem, 1.5fr)",
      isWideOnly: true,
      render: ({ published_by: by }) => by.email,
    },
    {
      key: "at",
      header: "Published",
      width: "8.5rem",
      align: "end",
      render: ({ published_at: at }) => <TimeAt at={at} />,
    },
    {
      key: "action",
      header: "Action",
      width: onRestore === null ? "4.5rem" : "8.5rem",
      align: "end",
      isAction: true,
      render: (one) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Show version ${one.version}`}
            onClick={() => onShow(one)}
          >
            Show
          </Button>
          {onRestore !== null && !one.is_draft && (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Restore version ${one.version} into the draft`}
              onClick={() => onRestore(one)}
            >
              Restore
            </Button>
          )}
        </Group>
      ),
    },
  ];
}
