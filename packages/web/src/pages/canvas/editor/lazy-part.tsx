import { type ReactNode, useEffect } from "react";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { useCode } from "../../../ui/json/use-code.ts";

type Props<T> = { load: () => Promise<T>; onFailed: () => void; children: (code: T) => ReactNode };

/** A part of the page whose code is loaded when it is opened first. */
export function LazyPart<T>({ load, onFailed, children }: Props<T>) {
  const { code, hasFailed } = useCode(load);
  const toast = useToast();
  useEffect(() => {
    if (!hasFailed) return;
    toast({ kind: "error", text: "This part could not be loaded. Check your connection." });
    onFailed();
  }, [hasFailed, toast, onFailed]);
  return code === null ? null : children(code);
}
