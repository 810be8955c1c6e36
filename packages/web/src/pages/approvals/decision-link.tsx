import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { DecisionKey } from "../../workflow-parts/use-my-approvals.ts";

type Props = { of: DecisionKey; title?: string; children: ReactNode };

/** Leads to the page on which one decides. */
export function DecisionLink({ of: { kind, id }, title, children }: Props) {
  const hint = title === undefined ? {} : { title };
  return kind === "call" ? (
    <Link to="/approvals/calls/$call" params={{ call: id }} {...hint}>
      {children}
    </Link>
  ) : (
    <Link to="/approvals/$approval" params={{ approval: id }} {...hint}>
      {children}
    </Link>
  );
}

export function useOpenDecision(): (of: DecisionKey) => void {
  const navigate = useNavigate();
  return ({ kind, id }) =>
    void (kind === "call"
      ? navigate({ to: "/approvals/calls/$call", params: { call: id } })
      : navigate({ to: "/approvals/$approval", params: { approval: id } }));
}

/** One text for each, by which the queue knows it. */
export function toDecisionText({ kind, id }: DecisionKey): string {
  return `${kind} ${id}`;
}

export function fromDecisionText(text: string): DecisionKey {
  const [kind, id = ""] = text.split(" ");
  return { kind: kind === "call" ? "call" : "approval", id };
}
