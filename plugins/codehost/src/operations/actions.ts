import { wick } from "@hub/connector";
import { apiPath, toRepoPath } from "../api-path.ts";
import { defineOperation, pageInput, pageNote, repoInput } from "../define-operation.ts";
import { requestJson } from "../request-codehost.ts";
import { requestPage } from "../request-page.ts";
import { toProseLimits } from "../trim/cut-prose.ts";
import { readDispatchInputs } from "./actions/dispatch-inputs.ts";

const beside = ["total_count"];
const prose = toProseLimits("full: true gives all");

/** Workflows of a repository and their runs. */
export const actions = {
  list_workflows: defineOperation({
    name: "List workflows",
    description: `List the workflows of a repository, each with id, name, path and state.\n\ndispatch_workflow takes the id, or the file name at the end of path. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/actions/workflows`,
        member: "workflows",
        beside,
        prose,
      }),
  }),

  list_workflow_runs: defineOperation({
    name: "List workflow runs",
    description: `List the runs of all workflows of a repository, newest first.\n\nstatus is queued, in_progress or completed; conclusion (success, failure, cancelled, …) is set when it is completed. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", per_page: 10 } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/actions/runs`,
        member: "workflow_runs",
        beside,
        prose,
      }),
  }),

  dispatch_workflow: defineOperation({
    name: "Dispatch workflow",
    description:
      "Start a workflow that declares the trigger workflow_dispatch.\n\nReturns ok: true when the host has accepted it. The run appears in list_workflow_runs some seconds later. inputs that are not a JSON object are ignored, and a note says so.",
    destructive: true,
    input: {
      ...repoInput,
      workflow_id: wick(
        "required;desc=The workflow's numeric id or its file's name, such as ci.yml",
      ),
      ref: wick("required;desc=Branch or tag on which it runs, such as main"),
      inputs: wick.json(
        'desc=The inputs of the workflow as a JSON object, such as {"environment": "staging"}',
      ),
    },
    examples: [
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          workflow_id: "deploy.yml",
          ref: "main",
          inputs: '{"environment": "staging"}',
        },
      },
    ],
    async run(ctx) {
      const { workflow_id: id, ref } = ctx.params;
      const { inputs, note } = readDispatchInputs(ctx.params.inputs);
      // list_workflows returns the path, but the host needs the file name.
      const workflow = id.replace(/^\.github\/workflows\//, "");
      const path = apiPath`${toRepoPath(ctx.params)}/actions/workflows/${{ input: "workflow_id", text: workflow }}/dispatches`;
      const body = { ref, ...(inputs !== undefined && { inputs }) };
      await requestJson(ctx, { method: "POST", path, body });
      return { ok: true, ...(note !== undefined && { note }) };
    },
  }),
};
