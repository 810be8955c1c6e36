import { NativeSelect } from "@mantine/core";
import { useChange } from "../../../api/use-api.ts";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import type { ShownRow } from "../shown-row.ts";
import { useMadeFrom } from "../use-made-from.ts";

const choices = [
  { value: "admins", label: "Only admins" },
  { value: "tag", label: "Admins and users with a tag of the row" },
] as const;

/** Who may test the row. A choice is saved at once. */
export function TestsCard({ row }: { row: ShownRow }) {
  const toast = useToast();
  const change = useChange("PATCH /manager/api/rows/{row}", {
    refreshes: ["GET /manager/api/rows/{row}", "GET /manager/api/rows"],
    onDone: () => toast({ text: "Who may test the row is saved." }),
  });
  const madeFrom = useMadeFrom(row.connector);
  return (
    <Card title="Tests">
      <NativeSelect
        label="Who may test it"
        description="If users with a tag of the row may test it, they call its operations on the tab Test and use its widgets on the tab Widgets. Only admins change the settings and call maintenance operations."
        data={choices}
        value={row.tests}
        disabled={madeFrom !== null || change.isPending}
        error={change.error?.message ?? null}
        onChange={({ currentTarget: { value } }) => {
          const tests = choices.find((choice) => choice.value === value)?.value;
          if (tests === undefined) return;
          change.run({ params: { row: row.id }, body: { version: row.version, tests } });
        }}
      />
    </Card>
  );
}
