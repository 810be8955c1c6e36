import { type Json, parseJson } from "@hub/connector";
import type { WorkflowPreview } from "@hub/contract/workflow-preview.ts";
import type { Caller } from "../../caller.ts";
import { cutJson } from "../../lib/json/cut-json.ts";
import { cutSealedText } from "../../operations/masking/cut-sealed-text.ts";
import { readRunEvent } from "../../store/workflow-runs/workflow-runs-table.ts";
import { findStep } from "../../store/workflow-runs/workflow-steps.ts";
import { listWorkflowSecrets } from "../../store/workflows/workflow-secrets.ts";
import { loadBody } from "../definition/body-text.ts";
import { loadWorkflow } from "../definition/workflow-access.ts";
import { findReferences } from "../templates/find-references.ts";
import { parseTemplate } from "../templates/parse/parser.ts";
import type { TemplateRoots } from "../templates/render/render-context.ts";
import { renderTemplate } from "../templates/render/render-template.ts";
import { TemplateError } from "../templates/template-error.ts";
import { loadPermittedRun } from "./load-permitted-run.ts";
import { openShownEvent } from "./open-shown-event.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";

export type PreviewInput = {
  template: string;
  /** The run whose event and outputs the template reads. */
  runId?: string | undefined;
};

const shownBytesMax = 64 * 1024;
/** Nodes that one preview reads. */
const nodesMax = 50;

/**
 * Renders a template of the draft with the values of a run. For those who may see the run's values:
 * secrets are names in brackets, so that a preview says nothing about them.
 */
export async function previewTemplate(
  { store, now }: Pick<RunVerbDeps, "store"> & { now(): number },
  caller: Caller,
  workflowId: string,
  { template: source, runId }: PreviewInput,
): Promise<WorkflowPreview> {
  const { db } = store;
  const workflow = await loadWorkflow(db, caller, workflowId, "manage");
  const run =
    runId === undefined
      ? null
      : (await loadPermittedRun({ store }, caller, { workflow: workflowId, run: runId }, "manage"))
          .run;
  try {
    const template = parseTemplate(source);
    const { nodes } = findReferences(template);
    const outputs: Record<string, Json> = Object.create(null);
    for (const { id } of run === null ? [] : nodes.slice(0, nodesMax)) {
      const step = await findStep(db, run?.id ?? "", id);
      if (step?.state === "succeeded" || step?.state === "skipped") {
        outputs[id] = step.output === null ? null : parseJson(step.output);
      }
    }
    const stored = run === null ? null : await readRunEvent(db, run.id);
    const secrets = await listWorkflowSecrets(db, workflowId);
    const names = new Set(secrets.map(({ name }) => name));
    const show = (name: string) => (names.has(name) ? `[secret ${name}]` : null);
    const roots: TemplateRoots = {
      Event: stored === null ? null : openShownEvent(stored),
      Node: outputs,
      Env: readEnv(await loadBody(db, workflow.draftBodyId)),
      Run: run === null ? null : { ID: run.id, At: new Date(run.createdAt).toISOString() },
      Workflow: { ID: workflow.id, Name: workflow.name, Version: run?.version ?? null },
      secret: show,
      basicCredentials: (_user, name) => show(name),
    };
    const { value, warnings } = renderTemplate(template, roots, { now: now() });
    return { value: cutJson(value, shownBytesMax, cutSealedText), warnings, error: null };
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    const { message, code } = thrown;
    return { value: null, warnings: [], error: { message, code } };
  }
}

/** The plain values of the draft, which may have errors. */
function readEnv(body: Json): Record<string, string> {
  const env: object = Object(Object(Object(body).settings).env);
  const texts = Object.entries(env).filter(([, text]) => typeof text === "string");
  return Object.fromEntries(texts);
}
