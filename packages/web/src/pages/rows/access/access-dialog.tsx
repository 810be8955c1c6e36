import type { RowAccess } from "@hub/contract/row-access.ts";
import { Button, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import type { ShownRow } from "../shown-row.ts";
import { findAccessChange, toChoices } from "./access-change.ts";
import { AccessEffect } from "./access-effect.tsx";
import { type Choice, PeopleField } from "./people-field.tsx";

type Props = { row: Pick<ShownRow, "id" | "label">; onClose: () => void };

/** Who may use a row: people and tags in one field, and what that opens before it is saved. */
export function AccessDialog({ row, onClose }: Props) {
  const access = useApi("GET /manager/api/rows/{row}/access", { params: { row: row.id } });
  return (
    <Dialog title={`Who may use ${row.label}?`} size="lg" onClose={onClose}>
      <Loaded of={access} what="The access" skeleton={<PageSkeleton lines={3} />}>
        {(found) => <AccessForm row={row} access={found} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

function AccessForm({ row, access, onClose }: Props & { access: RowAccess }) {
  const toast = useToast();
  const [chosen, setChosen] = useState<Choice[] | null>(null);
  const save = useChange("PUT /manager/api/rows/{row}/access", {
    refreshes: [
      "GET /manager/api/rows/{row}/access",
      "GET /manager/api/rows/{row}",
      "GET /manager/api/rows",
    ],
    onDone() {
      toast({ text: `Who may use ${row.label} is saved.` });
      onClose();
    },
  });
  const value = chosen ?? toChoices(access);
  const change = findAccessChange(access, value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (change === null) return;
        const params = { row: row.id };
        save.run({ params, body: { version: access.version, ...change } });
      }}
    >
      <Stack gap="md">
        <PeopleField
          label="People and tags"
          description="A person gets a tag of this row alone, which the hub makes. Everybody with a tag sees the row, and the tag everyone opens it to every user. Admins see every row."
          value={value}
          onChange={setChosen}
        />
        {access.people_total > access.people.length && (
          <p>{`${access.people_total} people have access. The first ${access.people.length} are shown.`}</p>
        )}
        <AccessEffect row={row.id} change={change} />
        <Failure of={save.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={change === null} loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
