import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** Shows another call in place of this one. */
export type OpenCall = (id: string) => void;

type Props = { id: string; onOpen: OpenCall | undefined; title?: string; children: ReactNode };

/** A link to a call, which opens in place of this one if there is a way. */
export function CallLink({ id, onOpen, title, children }: Props) {
  return (
    <Link
      to="/manager/runs/$run"
      params={{ run: id }}
      title={title}
      onClick={(event) => {
        if (onOpen === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onOpen(id);
      }}
    >
      {children}
    </Link>
  );
}
