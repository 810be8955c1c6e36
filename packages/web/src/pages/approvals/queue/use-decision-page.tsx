import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { ApiError } from "../../../api/api-error.ts";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import type { DecisionKey } from "../../../workflow-parts/use-my-approvals.ts";
import { fromDecisionText, toDecisionText, useOpenDecision } from "../decision-link.tsx";
import { KeysButton, useKeysDialog } from "../keys/keys-button.tsx";
import { useKeys, useSettled } from "../keys/use-keys.ts";
import { type Notice, QueueBar } from "./queue-bar.tsx";
import { useQueue } from "./use-queue.ts";

/** One decision after the other: each is read, taken, and followed by the next one. `content` is what is shown of it. */
export function useDecisionPage(of: DecisionKey, content: string) {
  const navigate = useNavigate();
  const openKey = useOpenDecision();
  const key = toDecisionText(of);
  const queue = useQueue(key);
  const current = useRef(key);
  current.current = key;
  const [notice, setNotice] = useState<(Notice & { at: string }) | null>(null);
  const open = (text: string) => openKey(fromDecisionText(text));
  const goOn = (title: string, text: string) => {
    // The user may have gone on before the answer came.
    const next = current.current === key ? queue.following : current.current;
    if (next === null) return document.getElementById("main")?.focus({ preventScroll: true });
    setNotice({ text, title, id: key, at: next });
    if (next !== current.current) open(next);
  };
  const toast = useToast();
  const sayFailed = (title: string, { message }: ApiError) => {
    // Its card shows why.
    if (current.current === key) return;
    const action = { text: "Back to it", run: () => open(key) };
    toast({ kind: "error", text: `“${title}”: ${message}`, action });
  };
  const isSettled = useSettled(`${key} ${content}`);
  const keys = useKeysDialog();
  const toMove = (to: string | null) =>
    to === null ? undefined : { run: () => open(to), waits: true };
  const next = queue.at === null ? queue.following : queue.next;
  useKeys(
    {
      j: toMove(next),
      k: toMove(queue.previous),
      Escape: { run: () => void navigate({ to: "/approvals" }) },
      "?": { run: keys.open },
    },
    isSettled,
  );
  return {
    /** The line above the card. */
    bar: (
      <QueueBar
        queue={{ ...queue, next }}
        notice={notice?.at === key ? notice : null}
        onOpen={open}
      >
        <KeysButton onOpen={keys.open} />
      </QueueBar>
    ),
    dialog: keys.dialog,
    /** What opens after this one. */
    following: queue.following === null ? null : fromDecisionText(queue.following),
    card: {
      isSettled,
      onGone: goOn,
      onFailed: sayFailed,
      onNext: next === null ? null : () => open(next),
    },
  };
}
