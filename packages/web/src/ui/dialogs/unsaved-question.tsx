import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ConfirmDialog } from "./confirm-dialog.tsx";

type Props = {
  /** Whether something typed would be lost. */
  isDirty: boolean;
  /** What will be lost. */
  children: ReactNode;
};

/** Asks before the page is left, by a link, by Back, or by closing the window. */
export function UnsavedQuestion({ isDirty, children }: Props) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && next.pathname !== current.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={blocker.status === "blocked"}
      title="Leave without saving?"
      action="Leave"
      isDangerous
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      {children}
    </ConfirmDialog>
  );
}
