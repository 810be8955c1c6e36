import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { toIssues } from "../../../api/to-issues.ts";
import { useChange } from "../../../api/use-api.ts";
import { Card } from "../../../ui/page/card.tsx";
import { FieldColumns } from "../../../ui/page/field-columns.tsx";
import type { ShownRow } from "../shown-row.ts";

/** The row's label and description. What was typed stays when others change the row. */
export function NameCard({ row }: { row: ShownRow }) {
  const [label, setLabel] = useState<string | null>(null);
  const [description, setDescription] = useState<string | null>(null);
  const change = useChange("PATCH /manager/api/rows/{row}", {
    refreshes: ["GET /manager/api/rows/{row}", "GET /manager/api/rows/{row}/settings"],
    onDone() {
      setLabel(null);
      setDescription(null);
    },
  });
  const issues = change.error === null ? {} : toIssues(change.error);
  const isChanged =
    (label !== null && label !== row.label) ||
    (description !== null && description !== row.description);
  const save = () =>
    change.run({
      params: { row: row.id },
      body: {
        version: row.version,
        ...(label !== null && { label }),
        ...(description !== null && { description }),
      },
    });
  return (
    <Card title="Name">
      <Stack gap="md">
        <FieldColumns>
          <TextInput
            label="Label"
            value={label ?? row.label}
            error={issues.label ?? null}
            maxLength={100}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            description="Clients read it when they choose between rows."
            rows={2}
            value={description ?? row.description}
            error={issues.description ?? null}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
        </FieldColumns>
        {change.error !== null && <p role="alert">{change.error.message}</p>}
        <Group>
          <Button variant="default" disabled={!isChanged} loading={change.isPending} onClick={save}>
            Save name
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
