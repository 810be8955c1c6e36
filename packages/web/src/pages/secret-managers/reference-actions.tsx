import type { SecretReference } from "@hub/contract/secret-source.ts";
import { Button, Group } from "@mantine/core";
import { useChange } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import type { OpenDialog } from "./open-dialog.ts";
import { secretRoutes } from "./secret-routes.ts";

type ActionProps = { reference: SecretReference; onOpen: (open: OpenDialog) => void };

/** What may be done with one reference. */
export function ReferenceActions({ reference, onOpen }: ActionProps) {
  const toast = useToast();
  const refresh = useChange("POST /admin/api/secret-references/{reference}/refresh", {
    refreshes: secretRoutes,
    onDone: ({ outcome, reason }) =>
      toast({
        text: outcome === "read" ? `${reference.name} is read.` : `${reference.name}: ${reason}.`,
      }),
  });
  const button = { size: "compact-sm", variant: "default" } as const;
  return (
    <Group gap="xs" wrap="wrap">
      <Button {...button} onClick={() => onOpen({ kind: "use", reference })}>
        Use in a row
      </Button>
      <Button
        {...button}
        loading={refresh.isPending}
        onClick={() => refresh.run({ params: { reference: reference.id } })}
      >
        Read now
      </Button>
      <Button {...button} onClick={() => onOpen({ kind: "reference", reference })}>
        Change
      </Button>
      <Button {...button} onClick={() => onOpen({ kind: "delete", reference })}>
        Delete
      </Button>
    </Group>
  );
}
