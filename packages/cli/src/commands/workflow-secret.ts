import type { WorkflowSecret } from "@hub/contract/workflow.ts";
import type { Cli } from "../cli.ts";
import { command, innerGroup } from "../declare/command.ts";
import { argument, option } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { readSecret } from "../input/read-secret.ts";
import { oneWorkflow } from "../workflows/workflow-command.ts";

const loadSecrets = () => import("@hub/server/workflows/definition/set-secrets.ts");

const oneSecret = {
  ...oneWorkflow,
  name: argument("<name>", "name of the secret, such as API_KEY"),
};

const shows = table<WorkflowSecret>(
  [
    "name",
    ["value", ({ is_set }) => (is_set ? "set" : "not set")],
    ["used", ({ is_used }) => (is_used ? "yes" : "no")],
    ["changed", "updated_at"],
  ],
  "The workflow has no secrets and needs none.",
);

export const workflowSecret = innerGroup("secret", "the secrets of a workflow", [
  command("set", "set a secret: asks for it on a terminal, otherwise reads standard input", {
    takes: { ...oneSecret, env: option("<variable>", "read it from this variable") },
    async does({ services, author }, { id, name, env }, cli) {
      const value = await readValue(cli, name, env);
      return await (await loadSecrets()).setSecret(services, author, id, { name, value });
    },
    shows,
  }),
  command("use", "take a secret from a secret manager, by a reference that you may use", {
    takes: { ...oneSecret, reference: argument("<reference>", "name or id of a reference") },
    does: async ({ services, author }, { id, name, reference }) =>
      (await loadSecrets()).nameSecret(services, author, id, { name, reference }),
    shows,
  }),
  command("list", "list the names of the secrets that are set or needed", {
    takes: oneWorkflow,
    does: async ({ services, author }, { id }) =>
      (await loadSecrets()).listSecrets(services, author.caller, id),
    shows,
  }),
  command("remove", "remove a secret", {
    takes: oneSecret,
    does: async ({ services, author }, { id, name }) =>
      (await loadSecrets()).removeSecret(services, author, id, name),
    shows,
  }),
]);

async function readValue(cli: Cli, key: string, variable: string | undefined): Promise<string> {
  const value =
    variable === undefined
      ? await readSecret(cli.terminal, key)
      : (cli.terminal.env[variable] ?? "");
  if (value !== "") return value;
  const place = variable === undefined ? "Standard input" : `The variable ${variable}`;
  throw toUsageError(`${place} is empty. It must contain the secret.`);
}
