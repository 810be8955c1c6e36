import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Props = { workflow: string; run: string; children: ReactNode; title?: string };

/** The link to a run of a workflow, on its canvas. */
export function WorkflowRunLink({ workflow, run, children, title }: Props) {
  return (
    <Link to="/workflows/$workflow/runs/$run" params={{ workflow, run }} {...(title && { title })}>
      {children}
    </Link>
  );
}
