import { answeringCommand, command } from "../declare/command.ts";
import { argument, option, pairs, requiredOption } from "../declare/parameters.ts";
import { runByOption } from "../workflows/workflow-command.ts";
import { readJsonFile } from "../workflows/workflow-file.ts";
import { toProblemText, toWorkflowText } from "../workflows/workflow-text.ts";

const loadCreation = () => import("@hub/server/workflows/definition/create-workflow.ts");

const owner = requiredOption("<email>", "the user it runs as");

export const workflowNew = answeringCommand("new", "create a workflow with a draft", {
  takes: {
    name: argument("<name>"),
    owner,
    id: option("<id>", "its id (default: made of the name); it can never be used again"),
    description: option("<text>"),
    file: option("<file>", "the body of the draft, as JSON; - is standard input"),
    example: option("<id>", "start from an example"),
    row: pairs("<name=row>", "a row of the example, by id or label; may be repeated"),
    env: pairs("<name=value>", "a value of the example; may be repeated"),
    runBy: runByOption,
  },
  async answers({ services, author, lookups }, { file, row, ...given }, { terminal }) {
    const { createWorkflow } = await loadCreation();
    const rows: Record<string, string> = {};
    for (const [key, typed] of Object.entries(row ?? {}))
      rows[key] = await lookups.findRowId(typed);
    const made = await createWorkflow(services, author, {
      ...given,
      owner: (await lookups.findUser(given.owner)).id,
      ...(file !== undefined && { body: await readJsonFile(terminal, file) }),
      ...(row !== undefined && { rows }),
    });
    const text = `Created.\n\n${toWorkflowText(made)}`;
    if (given.example === undefined) return { json: made, text };
    const { validateWorkflow } = await import("@hub/server/workflows/definition/save-draft.ts");
    const { problems } = await validateWorkflow(services, author.caller, made.id, {});
    if (problems.length === 0) return { json: made, text };
    const rest = `Before it can be published:\n${toProblemText(problems)}`;
    return { json: made, text: `${text}\n${rest}` };
  },
});

export const workflowImport = command("import", "create a workflow from an export", {
  takes: {
    file: argument("<file>", "an exported workflow; - is standard input"),
    owner,
    id: option("<id>", "its id (default: made of the name)"),
    name: option("<name>", "its name (default: that of the export)"),
  },
  async does({ services, author, lookups }, { file, owner: email, ...change }, { terminal }) {
    const { importWorkflow } = await loadCreation();
    const document = Object(await readJsonFile(terminal, file));
    const { id: ownerId } = await lookups.findUser(email);
    return await importWorkflow(services, author, { ...document, ...change, owner: ownerId });
  },
  shows(made, _, cli) {
    const missing = (made.secrets ?? []).flatMap(({ name, is_set }) => (is_set ? [] : name));
    const next = missing.map((secret) => `\n${cli.name} workflow secret set ${made.id} ${secret}`);
    const note = missing.length === 0 ? "" : `\n\nSet its secrets:${next.join("")}`;
    return `Created.\n\n${toWorkflowText(made)}${note}`;
  },
});
