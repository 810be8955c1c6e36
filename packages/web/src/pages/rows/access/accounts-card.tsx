import { NativeSelect } from "@mantine/core";
import { useApi, useChange } from "../../../api/use-api.ts";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import type { ShownRow } from "../shown-row.ts";

const choices = [
  {
    value: "shared",
    label: "Shared",
    meaning: "All calls use the access in the settings of this row.",
  },
  {
    value: "own",
    label: "Own",
    meaning:
      "Each call uses the account of the user who makes it. Without one, the call is refused with the page where the user connects it.",
  },
  {
    value: "own_else_shared",
    label: "Own, else shared",
    meaning:
      "Each call uses the account of the user who makes it. The access of this row is for users who never connected one: an account that has ended must be connected again.",
  },
] as const;

/** Whose accounts the calls of the row use. A choice is saved at once. */
export function AccountsCard({ row }: { row: ShownRow }) {
  const { data } = useApi("GET /manager/api/connectors", {});
  const toast = useToast();
  const change = useChange("PATCH /manager/api/rows/{row}", {
    refreshes: [
      "GET /manager/api/rows/{row}",
      "GET /manager/api/rows",
      "GET /manager/api/rows/{row}/connection",
    ],
    onDone: () => toast({ text: "Whose accounts the row uses is saved." }),
  });
  const type = data?.connectors.find(({ key }) => key === row.connector);
  if (type?.has_accounts !== true && row.access === "shared") return null;
  return (
    <Card title="Accounts">
      <NativeSelect
        label="Access"
        description={choices.find(({ value }) => value === row.access)?.meaning}
        data={choices.map(({ value, label }) => ({ value, label }))}
        value={row.access}
        disabled={change.isPending || (type !== undefined && type.made_from !== null)}
        error={change.error?.message ?? null}
        onChange={({ currentTarget: { value } }) => {
          const access = choices.find((choice) => choice.value === value)?.value;
          if (access === undefined) return;
          change.run({ params: { row: row.id }, body: { version: row.version, access } });
        }}
      />
    </Card>
  );
}
