import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import { approvalsMax } from "../../../workflow-parts/use-my-approvals.ts";
import { DecisionLink, fromDecisionText } from "../decision-link.tsx";
import { KeyHint, useShortcut } from "../keys/key-hint.tsx";
import styles from "./queue-bar.module.css";
import type { Queue } from "./use-queue.ts";

/** What was said of the approval before. */
export type Notice = { text: string; title: string; id: string };

type Props = {
  queue: Queue;
  notice: Notice | null;
  onOpen: (id: string) => void;
  /** The button with the keys. */
  children: ReactNode;
};

/** The line above an approval: the way back, what became of the one before, and the place in the queue. */
export function QueueBar({ queue, notice, onOpen, children }: Props) {
  return (
    <div className={styles.bar}>
      <nav className={styles.above} aria-label="Pages above">
        <Link to="/approvals">Approvals</Link>
      </nav>
      <div role="status" className={styles.notice}>
        {notice !== null && (
          <>
            <span className={styles.said} title={notice.title}>
              {`${notice.text} `}
              <bdi>{notice.title}</bdi>
            </span>
            <DecisionLink of={fromDecisionText(notice.id)}>Back to it</DecisionLink>
          </>
        )}
      </div>
      <div className={styles.moves} role="group" aria-label="Those that wait for you">
        <span className={styles.position}>{describePosition(queue)}</span>
        <Move name="Previous" shortcut="k" to={queue.previous} onOpen={onOpen} />
        <Move name="Next" shortcut="j" to={queue.next} onOpen={onOpen} />
        {children}
      </div>
    </div>
  );
}

function describePosition({ at, count }: Queue): string {
  const shown = count > approvalsMax ? `${approvalsMax}+` : String(count);
  if (at !== null) return `${at + 1} of ${shown}`;
  if (count === 0) return "None waits for you";
  return `${shown} ${count === 1 ? "waits" : "wait"} for you`;
}

type MoveProps = {
  name: "Previous" | "Next";
  shortcut: string;
  to: string | null;
  onOpen: (id: string) => void;
};

function Move({ name, shortcut, to, onOpen }: MoveProps) {
  const icon = <Icon name={name === "Next" ? "right" : "left"} />;
  return (
    <Button
      {...useShortcut(shortcut)}
      className={styles.move ?? ""}
      variant="default"
      size="xs"
      disabled={to === null}
      onClick={() => to !== null && onOpen(to)}
    >
      {name === "Previous" && icon}
      <span className={styles.name}>{name}</span>
      {name === "Next" && icon}
      <KeyHint name={shortcut} />
    </Button>
  );
}
