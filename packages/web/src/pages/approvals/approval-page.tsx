import { useNavigate, useParams } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { LoadedPage } from "../../ui/page/loaded-page.tsx";
import { ApprovalCard } from "./card/approval-card.tsx";
import { CardSkeleton } from "./card/card-skeleton.tsx";
import { KeysButton, useKeysDialog } from "./keys/keys-button.tsx";
import { useKeys, useSettled } from "./keys/use-keys.ts";
import { type Notice, QueueBar } from "./queue/queue-bar.tsx";
import { useQueue } from "./queue/use-queue.ts";

/** Another approver may decide meanwhile. */
const everyMs = 4_000;

/** One approval after the other: each is read, decided, and followed by the next one. */
export function ApprovalPage() {
  const { approval: id } = useParams({ from: "/approvals/$approval" });
  const navigate = useNavigate();
  const approval = useApi(
    "GET /manager/api/approvals/{approval}",
    { params: { approval: id } },
    { everyMs: (last) => (last === undefined || last.state === "pending" ? everyMs : undefined) },
  );
  const queue = useQueue(id);
  // It is there when one goes on to it.
  useApi(
    "GET /manager/api/approvals/{approval}",
    { params: { approval: queue.following ?? id } },
    { isOn: queue.following !== null },
  );
  const current = useRef(id);
  current.current = id;
  const [notice, setNotice] = useState<(Notice & { at: string }) | null>(null);
  const open = (approval: string) =>
    void navigate({ to: "/approvals/$approval", params: { approval } });
  const goOn = (from: string, title: string, text: string) => {
    // The user may have gone on before the answer came.
    const next = current.current === from ? queue.following : current.current;
    if (next === null) return document.getElementById("main")?.focus({ preventScroll: true });
    setNotice({ text, title, id: from, at: next });
    if (next !== current.current) open(next);
  };
  // Its workflow was deleted, or the user is no approver any more.
  const isGone = approval.error?.code === "not_found";
  const toast = useToast();
  const sayFailed = (from: string, title: string, { message }: ApiError) => {
    // Its card shows why.
    if (current.current === from) return;
    const action = { text: "Back to it", run: () => open(from) };
    toast({ kind: "error", text: `“${title}”: ${message}`, action });
  };
  const { data } = approval;
  const isSettled = useSettled(data === undefined ? id : `${id} ${data.hash} ${data.state}`);
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
  return (
    <>
      <QueueBar queue={{ ...queue, next }} notice={notice?.at === id ? notice : null} onOpen={open}>
        <KeysButton onOpen={keys.open} />
      </QueueBar>
      <LoadedPage
        of={isGone ? { ...approval, data: undefined } : approval}
        what="The approval"
        title="Approval"
        skeleton={<CardSkeleton />}
      >
        {(found) => (
          <ApprovalCard
            key={id}
            approval={found}
            isSettled={isSettled}
            onGone={(title, text) => goOn(id, title, text)}
            onFailed={(title, error) => sayFailed(id, title, error)}
            onNext={next === null ? null : () => open(next)}
          />
        )}
      </LoadedPage>
      {keys.dialog}
    </>
  );
}
