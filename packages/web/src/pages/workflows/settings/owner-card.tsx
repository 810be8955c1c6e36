import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { toIssues } from "../../../api/to-issues.ts";
import { useChange } from "../../../api/use-api.ts";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { workflowRoutes } from "../../../workflow-parts/workflow-routes.ts";

/** The owner, which is the user that runs act as, and the offer to another user, who must accept it. */
export function OwnerCard({ workflow }: { workflow: WorkflowDetail }) {
  const { id, owner, pending_owner: pending } = workflow;
  const toast = useToast();
  const [email, setEmail] = useState("");
  const offer = useChange("POST /manager/api/workflows/{workflow}/offer", {
    refreshes: workflowRoutes,
    onDone() {
      toast({ text: `The workflow is offered to ${email}.` });
      setEmail("");
    },
  });
  const withdraw = useChange("DELETE /manager/api/workflows/{workflow}/offer", {
    refreshes: workflowRoutes,
    onDone: () => toast({ text: "The offer is withdrawn." }),
  });
  const issues = offer.error === null ? {} : toIssues(offer.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    offer.run({ params: { workflow: id }, body: { owner: email.trim() } });
  };
  return (
    <Card title="Owner">
      <p>{`Runs act as ${owner?.email ?? "the owner"}, with the rights of that user.`}</p>
      {pending !== null ? (
        <Stack gap="sm">
          <Alert color="blue">
            {`Offered to ${pending.email}, who can read it now and owns it after accepting.`}
          </Alert>
          <Failure of={withdraw.error} />
          <Group>
            <Button
              variant="default"
              loading={withdraw.isPending}
              onClick={() => withdraw.run({ params: { workflow: id } })}
            >
              Withdraw the offer
            </Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={submit} noValidate>
          <Stack gap="md">
            <TextInput
              type="email"
              label="Offer it to another user"
              description="The user can read it at once, and must accept it to own it."
              placeholder="E-mail"
              value={email}
              error={issues.owner ?? null}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            {issues.owner === undefined && <Failure of={offer.error} />}
            <Group>
              <Button
                type="submit"
                variant="default"
                disabled={email.trim() === ""}
                loading={offer.isPending}
              >
                Offer
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Card>
  );
}

/** Asks the user to whom the workflow is offered. */
export function OfferNotice({ workflow }: { workflow: WorkflowDetail }) {
  const { id, owner, updated_at: updatedAt } = workflow;
  const toast = useToast();
  const accept = useChange("POST /manager/api/workflows/{workflow}/accept", {
    refreshes: workflowRoutes,
    onDone: ({ name }) => toast({ text: `You own ${name} now.` }),
  });
  const decline = useChange("DELETE /manager/api/workflows/{workflow}/offer", {
    refreshes: workflowRoutes,
    onDone: ({ name }) => toast({ text: `You have declined ${name}.` }),
  });
  const params = { workflow: id };
  return (
    <Alert color="blue" mb="md" title={`${owner?.email ?? "Its owner"} offers you this workflow`}>
      <Stack gap="sm">
        <div>
          If you accept it, its runs act as you, with your rights. Look at its body and its versions
          first.
        </div>
        <Failure of={accept.error ?? decline.error} />
        <Group gap="sm">
          <Button
            loading={accept.isPending}
            onClick={() => accept.run({ params, body: { updated_at: updatedAt } })}
          >
            Accept
          </Button>
          <Button
            variant="default"
            loading={decline.isPending}
            onClick={() => decline.run({ params })}
          >
            Decline
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
