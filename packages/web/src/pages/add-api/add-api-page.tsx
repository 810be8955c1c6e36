import type { MadeConnection } from "@hub/contract/connection-plan.ts";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMe } from "../../api/use-me.ts";
import { UnsavedQuestion } from "../../ui/dialogs/unsaved-question.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { MadeCard } from "./made-card.tsx";
import { PlanForm } from "./plan-form.tsx";
import type { Read } from "./read-source.ts";
import { SourceCard } from "./source-card.tsx";

/** From an address or a document to a working connection, on one page. */
export function AddApiPage() {
  const { isAdmin } = useMe();
  const [made, setMade] = useState<MadeConnection | null>(null);
  return (
    <Page
      title="Connect an API or an MCP server"
      parent={<Link to="/manager/connectors">Connections</Link>}
      lead={
        made === null
          ? "Paste an address or a document. Nothing is made before you have seen what it offers."
          : undefined
      }
    >
      {made !== null ? (
        <MadeCard made={made} onAgain={() => setMade(null)} />
      ) : isAdmin ? (
        <AddApi onMade={setMade} />
      ) : (
        <EmptyState icon="lock" title="Only admins make connections">
          A connection can reach other systems with the hub's credentials. Ask an admin.
        </EmptyState>
      )}
    </Page>
  );
}

function AddApi({ onMade }: { onMade: (made: MadeConnection) => void }) {
  const [read, setRead] = useState<Read | null>(null);
  return (
    <>
      <SourceCard isRead={read !== null} onRead={setRead} onForget={() => setRead(null)} />
      {read !== null && (
        <PlanForm key={read.plan.digest} read={read} onRead={setRead} onMade={onMade} />
      )}
      <UnsavedQuestion isDirty={read !== null}>
        The connection is not made yet. What you chose will be lost.
      </UnsavedQuestion>
    </>
  );
}
