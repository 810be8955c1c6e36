import type { WebhookDelivery, WorkflowWebhook } from "@hub/contract/workflow-webhook.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { readAllPages } from "../look-ups/read-all-pages.ts";
import type { Answer } from "../text/print-answer.ts";
import { toPrintable, toTable } from "../text/table.ts";
import { answerForWorkflow, type WorkflowHub } from "../workflows/workflow-command.ts";

const optionalArgument = [
  "[workflow]",
  "id or name; without it, the workflows that have webhooks are listed",
] as const;

type DeliveryOptions = { trigger?: string; outcome?: WebhookDelivery["outcome"] };

export function defineWorkflowWebhooks(workflow: Command, cli: Cli): void {
  workflow
    .command("webhooks")
    .argument(...optionalArgument)
    .description("show the addresses of the webhooks, with commands that send a signed request")
    .action((name: string | undefined, _: unknown, command: Command) =>
      answerForWorkflow(cli, command, async (hub) => {
        if (name === undefined) return await listCandidates(cli, hub, "webhooks");
        const { services, author, findServedBaseUrl } = hub;
        const id = await hub.lookups.findWorkflowId(name);
        const { listWebhooks } = await import("@hub/server/workflows/webhooks/list-webhooks.ts");
        const baseUrl = await findServedBaseUrl();
        const webhooks = await listWebhooks(services, author.caller, id, baseUrl);
        return { json: webhooks, text: toWebhookText(webhooks) };
      }),
    );

  workflow
    .command("deliveries")
    .argument(...optionalArgument)
    .description("list the last requests to the webhooks, newest first")
    .option("--trigger <id>", "only requests to this trigger")
    .addOption(
      new Option("--outcome <outcome>", "only requests with this outcome").choices([
        "accepted",
        "refused",
      ]),
    )
    .action((name: string | undefined, filter: DeliveryOptions, command: Command) =>
      answerForWorkflow(cli, command, async (hub) => {
        if (name === undefined) return await listCandidates(cli, hub, "deliveries");
        const { services, author } = hub;
        const id = await hub.lookups.findWorkflowId(name);
        const { listDeliveries } = await import(
          "@hub/server/workflows/webhooks/deliveries/list-deliveries.ts"
        );
        const { store } = services;
        const deliveries = await readAllPages((page) =>
          listDeliveries({ store }, author.caller, id, { ...filter, ...page }),
        );
        return { json: deliveries, text: toDeliveryTable(deliveries) };
      }),
    );
}

/** The workflows that the command can be given, by name, with their triggers. */
async function listCandidates(
  cli: Cli,
  { services, author, findServedBaseUrl }: WorkflowHub,
  verb: "webhooks" | "deliveries",
): Promise<Answer> {
  const { listWorkflows } = await import("@hub/server/workflows/definition/list-workflows.ts");
  const { listWebhooks } = await import("@hub/server/workflows/webhooks/list-webhooks.ts");
  const baseUrl = await findServedBaseUrl();
  const workflows = await readAllPages((page) => listWorkflows(services, author.caller, page));
  const found: { workflow: string; name: string; triggers: string[] }[] = [];
  for (const { id, name } of workflows) {
    const webhooks = await listWebhooks(services, author.caller, id, baseUrl);
    const triggers = webhooks.map(({ trigger_id: trigger }) => trigger);
    if (triggers.length > 0) found.push({ workflow: id, name, triggers });
  }
  const table = toTable(
    found,
    [
      ["workflow", ({ workflow: id }) => id],
      ["name", ({ name }) => name],
      ["webhooks", ({ triggers }) => triggers.join(", ")],
    ],
    "No workflow has a webhook.",
  );
  const note = `Name one: ${cli.name} workflow ${verb} WORKFLOW`;
  return { json: found, text: table, ...(found.length > 0 && { note }) };
}

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

function toDeliveryTable(deliveries: readonly WebhookDelivery[]): string {
  return toTable(
    deliveries,
    [
      ["time", ({ at }) => at],
      ["trigger", ({ trigger_id: id, is_test }) => (is_test ? `${id ?? ""} (draft)` : id)],
      ["request", ({ method, path }) => `${method} ${path}`],
      ["delivery", ({ delivery_id }) => delivery_id],
      ["status", ({ status }) => status],
      ["refused", ({ reason, requests }) => reason && `${reason} × ${requests}`],
      ["run", ({ run_id }) => run_id],
      ["ms", ({ duration_ms }) => duration_ms],
    ],
    "There were no requests.",
  );
}
