import { useChange } from "../../api/use-api.ts";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import type { OpenDialog } from "./open-dialog.ts";
import { secretRoutes } from "./secret-routes.ts";

type DeleteProps = {
  open: Extract<OpenDialog, { kind: "delete" | "delete source" }>;
  onClose: () => void;
};

/** Asks before a manager or a reference is deleted. */
export function DeleteDialog({ open, onClose }: DeleteProps) {
  const options = { refreshes: secretRoutes, onDone: onClose };
  const ofReference = useChange("DELETE /admin/api/secret-references/{reference}", options);
  const ofSource = useChange("DELETE /admin/api/secret-sources/{source}", options);
  const name = open.kind === "delete" ? open.reference.name : open.source.name;
  const confirm = () =>
    open.kind === "delete"
      ? ofReference.run({ params: { reference: open.reference.id } })
      : ofSource.run({ params: { source: open.source.id } });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete ${name}?`}
      action="Delete"
      isDangerous
      isBusy={ofReference.isPending || ofSource.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {open.kind === "delete"
        ? "Rows and workflows that name it need another value then."
        : "Its credentials are deleted here. The manager keeps its secrets."}
    </ConfirmDialog>
  );
}
