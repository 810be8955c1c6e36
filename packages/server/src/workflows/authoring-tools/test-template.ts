import type { Json } from "@hub/connector";
import type { WorkflowPreview } from "@hub/contract/workflow-preview.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { cutJson } from "../../lib/json/cut-json.ts";
import { cutSealedText } from "../../operations/masking/cut-sealed-text.ts";
import { previewTemplate } from "../runs/preview-template.ts";
import { functionNames } from "../templates/function-names.ts";
import { parseTemplate } from "../templates/parse/parser.ts";
import { renderTemplate } from "../templates/render/render-template.ts";
import { TemplateError } from "../templates/template-error.ts";
import type { OperationDeps } from "./define-operation.ts";
import { templateGuide } from "./describe/body-guide.ts";
import { createSampleEvent } from "./describe/sample-event.ts";
import { readObjectParam } from "./read-object-param.ts";

export type TemplateTest = {
  template: string | undefined;
  data: unknown;
  event: string | undefined;
  workflowId: string | undefined;
  runId: string | undefined;
};

const shownBytesMax = 16 * 1024;

/** Renders a template for a model. Without one, the guide to templates. */
export async function testTemplate(
  deps: Pick<OperationDeps, "store" | "now">,
  caller: Caller,
  { template, data, event, workflowId, runId }: TemplateTest,
): Promise<object> {
  if (template === undefined) return { ...templateGuide, functions: functionNames };
  if (runId !== undefined || workflowId !== undefined) {
    if (workflowId === undefined || runId === undefined) {
      throw new HubError("invalid_params", "workflow_id and run_id belong together. Send both.");
    }
    const preview = await previewTemplate(deps, caller, workflowId, { template, runId });
    return present({ ...preview, value: cut(preview.value) }, {});
  }
  const now = deps.now();
  // Safe: the dropdown allows only types of triggers.
  const sample: { Event?: Json } =
    event === undefined ? {} : { Event: createSampleEvent(event as WorkflowTrigger["type"], now) };
  const given: Record<string, unknown> = Object(
    data === undefined ? {} : readObjectParam("data", data),
  );
  return present(render(template, { ...sample, ...given }, now), sample);
}

function render(source: string, given: Record<string, unknown>, now: number): WorkflowPreview {
  const show = (name: string) => `[secret ${name}]`;
  try {
    const { value, warnings } = renderTemplate(
      parseTemplate(source),
      {
        // Safe: the params are JSON.
        Event: (given.Event ?? null) as Json,
        Node: toRecord(given.Node) as Record<string, Json>,
        Env: Object.fromEntries(
          Object.entries(toRecord(given.Env)).map(([name, text]) => [name, String(text)]),
        ),
        Run: (given.Run ?? null) as Json,
        Workflow: (given.Workflow ?? null) as Json,
        ...("Item" in given && { Item: given.Item as Json }),
        ...("Index" in given && { Index: Number(given.Index) }),
        secret: show,
        basicCredentials: (_user, name) => show(name),
      },
      { now },
    );
    return { value: cut(value), warnings, error: null };
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    const { message, code } = thrown;
    return { value: null, warnings: [], error: { message, code } };
  }
}

function toRecord(value: unknown): Record<string, unknown> {
  return Object.assign(Object.create(null), Object(value));
}

function cut(value: unknown): Json {
  // It was read from JSON or rendered.
  return cutJson(value as Json, shownBytesMax, cutSealedText);
}

/** A type in words, since a text with digits looks like a number. */
function present(preview: WorkflowPreview, more: object): object {
  const { value, warnings, error } = preview;
  const type = value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
  if (error === null) return { value, type, warnings, error, ...more };
  return { value, warnings, error, functions: functionNames, ...more };
}
