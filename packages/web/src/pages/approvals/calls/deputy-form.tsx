import type { PendingCallDetail } from "@hub/contract/pending-call.ts";
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Failure } from "../../../ui/page/failure.tsx";
import styles from "./calls.module.css";
import { callRoutes } from "./use-call-decision.ts";

/** An approver who is absent names another user, who may decide too. */
export function DeputyForm({ call: { id, deputy } }: { call: PendingCallDetail }) {
  const [email, setEmail] = useState("");
  const change = useChange("PUT /manager/api/pending-calls/{call}/deputy", {
    refreshes: callRoutes,
    onDone: () => setEmail(""),
  });
  const name = (to: string | null) => change.run({ params: { call: id }, body: { deputy: to } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (email.trim() !== "") name(email.trim());
  };
  return (
    <>
      <p className={styles.who}>
        {deputy === null ? (
          "A deputy may decide this call in your place, as long as you may."
        ) : (
          <>
            <bdi>{deputy}</bdi> may decide this call, too.
          </>
        )}
      </p>
      <form className={styles.deputy} onSubmit={submit}>
        <TextInput
          label="E-mail of the deputy"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          Name
        </Button>
        {deputy !== null && (
          <Button variant="subtle" disabled={change.isPending} onClick={() => name(null)}>
            Take back
          </Button>
        )}
      </form>
      <Failure of={change.error} />
    </>
  );
}
