import type { WorkflowSecret } from "@hub/contract/workflow.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { readSecret } from "../input/read-secret.ts";
import { toTable } from "../text/table.ts";
import { answerForOne, workflowArgument } from "../workflows/workflow-command.ts";

const loadSecrets = () => import("@hub/server/workflows/definition/set-secrets.ts");
const nameArgument = ["<name>", "name of the secret, such as API_KEY"] as const;

export function defineWorkflowSecret(workflow: Command, cli: Cli): void {
  const secret = workflow.command("secret").description("the secrets of a workflow");

  secret
    .command("set")
    .argument(...workflowArgument)
    .argument(...nameArgument)
    .description("set a secret: asks for it on a terminal, otherwise reads standard input")
    .option("--env <variable>", "read it from this variable")
    .action((name: string, key: string, { env }: { env?: string }, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const value = await readValue(cli, key, env);
        const { setSecret } = await loadSecrets();
        const secrets = await setSecret(services, author, id, { name: key, value });
        return { json: secrets, text: toSecretTable(secrets) };
      }),
    );

  secret
    .command("list")
    .argument(...workflowArgument)
    .description("list the names of the secrets that are set or needed")
    .action((name: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { listSecrets } = await loadSecrets();
        const secrets = await listSecrets(services, author.caller, id);
        return { json: secrets, text: toSecretTable(secrets) };
      }),
    );

  secret
    .command("remove")
    .argument(...workflowArgument)
    .argument(...nameArgument)
    .description("remove a secret")
    .action((name: string, key: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { removeSecret } = await loadSecrets();
        const secrets = await removeSecret(services, author, id, key);
        return { json: secrets, text: toSecretTable(secrets) };
      }),
    );
}

async function readValue(cli: Cli, key: string, variable: string | undefined): Promise<string> {
  const value =
    variable === undefined
      ? await readSecret(cli.terminal, key)
      : (cli.terminal.env[variable] ?? "");
  if (value !== "") return value;
  const place = variable === undefined ? "Standard input" : `The variable ${variable}`;
  throw toUsageError(`${place} is empty. It must contain the secret.`);
}

function toSecretTable(secrets: readonly WorkflowSecret[]): string {
  return toTable(
    secrets,
    [
      ["name", ({ name }) => name],
      ["value", ({ is_set }) => (is_set ? "set" : "not set")],
      ["used", ({ is_used }) => (is_used ? "yes" : "no")],
      ["changed", ({ updated_at }) => updated_at],
    ],
    "The workflow has no secrets and needs none.",
  );
}
