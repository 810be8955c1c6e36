import type { WebhookDelivery, WorkflowWebhook } from "@hub/contract/workflow-webhook.ts";
import type { Cli, CommandHub } from "../cli.ts";
import { answeringCommand } from "../declare/command.ts";
import { argument, choice, option } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { readAllPages } from "../look-ups/read-all-pages.ts";
import type { Answer } from "../text/print-answer.ts";
import { toPrintable } from "../text/table.ts";

const loadWebhooks = () => import("@hub/server/workflows/webhooks/list-webhooks.ts");

const name = argument(
  "[workflow]",
  "id or name; without it, the workflows that have webhooks are listed",
);

export const workflowWebhooks = answeringCommand(
  "webhooks",
  "show the addresses of the webhooks, with commands that send a signed request",
  {
    takes: { name },
    async answers(hub, values, cli) {
      if (values.name === undefined) return await listCandidates(cli, hub, "webhooks");
      const { services, author, lookups, findServedBaseUrl } = hub;
      const id = await lookups.findWorkflowId(values.name);
      const { listWebhooks } = await loadWebhooks();
      const baseUrl = await findServedBaseUrl();
      const webhooks = await listWebhooks(services, author.caller, id, baseUrl);
      return { json: webhooks, text: toWebhookText(webhooks) };
    },
  },
);

export const workflowDeliveries = answeringCommand(
  "deliveries",
  "list the last requests to the webhooks, newest first",
  {
    takes: {
      name,
      trigger: option("<id>", "only requests to this trigger"),
      outcome: choice("<outcome>", "only requests with this outcome", ["accepted", "refused"]),
    },
    async answers(hub, { name: typed, ...filter }, cli) {
      if (typed === undefined) return await listCandidates(cli, hub, "deliveries");
      const { services, author, lookups } = hub;
      const id = await lookups.findWorkflowId(typed);
      const { listDeliveries } = await import(
        "@hub/server/workflows/webhooks/deliveries/list-deliveries.ts"
      );
      const { store } = services;
      const deliveries = await readAllPages((page) =>
        listDeliveries({ store }, author.caller, id, { ...filter, ...page }),
      );
      return { json: deliveries, text: toDeliveryTable(deliveries) };
    },
  },
);

type Candidate = { workflow: string; name: string; triggers: string[] };

/** The workflows that the command can be given, by name, with their triggers. */
async function listCandidates(
  cli: Cli,
  { services, author, findServedBaseUrl }: CommandHub,
  verb: "webhooks" | "deliveries",
): Promise<Answer> {
  const { listWorkflows } = await import("@hub/server/workflows/definition/list-workflows.ts");
  const { listWebhooks } = await loadWebhooks();
  const baseUrl = await findServedBaseUrl();
  const workflows = await readAllPages((page) => listWorkflows(services, author.caller, page));
  const found: Candidate[] = [];
  for (const { id, name: shown } of workflows) {
    const webhooks = await listWebhooks(services, author.caller, id, baseUrl);
    const triggers = webhooks.map(({ trigger_id: trigger }) => trigger);
    if (triggers.length > 0) found.push({ workflow: id, name: shown, triggers });
  }
  const note = `Name one: ${cli.name} workflow ${verb} WORKFLOW`;
  return { json: found, text: toCandidateTable(found), ...(found.length > 0 && { note }) };
}

const toCandidateTable = table<Candidate>(
  ["workflow", "name", ["webhooks", "triggers"]],
  "No workflow has a webhook.",
);

function toWebhookText(webhooks: readonly WorkflowWebhook[]): string {
  const texts = webhooks.flatMap(({ trigger_id: trigger, live, test }) => {
    const addresses = [
      ["published", live],
      ["draft", test],
    ] as const;
    return addresses.flatMap(([stage, address]) => {
      if (address === null) return [];
      const { methods, url, secret_ref: secret, is_secret_set: isSet, curl } = address;
      const missing = secret === undefined || isSet ? "" : `\nThe secret ${secret} is not set.`;
      return `${trigger} (${stage}): ${methods.join(", ")} ${url}${missing}\n\n${curl}`;
    });
  });
  const text = texts.join("\n\n") || "The workflow has no webhooks.";
  return text.split("\n").map(toPrintable).join("\n");
}

const toDeliveryTable = table<WebhookDelivery>(
  [
    ["time", "at"],
    ["trigger", ({ trigger_id: id, is_test }) => (is_test ? `${id ?? ""} (draft)` : id)],
    ["request", ({ method, path }) => `${method} ${path}`],
    ["delivery", "delivery_id"],
    "status",
    ["refused", ({ reason, requests }) => reason && `${reason} × ${requests}`],
    ["run", "run_id"],
    ["ms", "duration_ms"],
  ],
  "There were no requests.",
);
