import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import { nodeTemplateFields, type WorkflowNode } from "@hub/contract/workflow-node.ts";
import { findReferences, type References } from "../../templates/find-references.ts";
import { parseTemplate } from "../../templates/parse/parser.ts";
import { TemplateError } from "../../templates/template-error.ts";
import { suggestOne, suggestSecret } from "../describe-issue.ts";
import type { Graph } from "../graph/body-graph.ts";
import type { RanBefore } from "../graph/find-ran-before.ts";
import { type Path, type ProblemList, quote, toWarnings } from "../problem-list.ts";
import type { Pace } from "../validation-pace.ts";
import type { ValidationWorld } from "../validation-world.ts";
import type { EventCheck } from "./check-event.ts";
import type { OutputCheck } from "./check-outputs.ts";

export type TemplateCheck = {
  problems: ProblemList;
  body: WorkflowBody;
  graph: Graph;
  /** Null if the graph has a cycle. */
  ranBefore: RanBefore | null;
  /** The nodes that a trigger leads to. */
  reachable: ReadonlySet<string>;
  checkEvent: EventCheck;
  checkOutputs: OutputCheck;
  world: ValidationWorld;
  pace: Pace;
};

/** Parses each template of each node, and checks that what it reads exists when the node starts. */
export async function checkTemplates(check: TemplateCheck): Promise<void> {
  for (const [at, node] of check.body.nodes.entries()) {
    // Its templates are not rendered.
    const problems = node.disabled ? toWarnings(check.problems) : check.problems;
    for (const field of nodeTemplateFields[node.type]) {
      const value: unknown = Reflect.get(node, field);
      for (const { path, text } of findTemplates(["nodes", at, field], value)) {
        await check.pace();
        await checkTemplate({ ...check, problems }, { path, text, node, field });
      }
    }
  }
}

type TemplateField = { path: Path; text: string; node: WorkflowNode; field: string };

async function checkTemplate(check: TemplateCheck, template: TemplateField): Promise<void> {
  const references = readReferences(check.problems, template);
  if (references === null) return;
  checkNodeReferences(check, template, references);
  checkNames(check, template, references);
  checkItem(check, template, references);
  const { path, node } = template;
  await check.checkEvent(check.problems, { path, nodeId: node.id }, references);
  await check.checkOutputs(check.problems, path, references);
}

function readReferences(problems: ProblemList, { path, text }: TemplateField): References | null {
  try {
    return findReferences(parseTemplate(text));
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    problems.error(path, thrown.message, "The reference of workflow templates has the syntax.");
    return null;
  }
}

function checkNodeReferences(
  check: TemplateCheck,
  { path, node }: TemplateField,
  { nodes }: References,
): void {
  const { problems, graph, ranBefore, reachable } = check;
  for (const { id, isTested } of nodes) {
    if (graph.nodes.get(id)?.disabled && !node.disabled) {
      const message = `The template reads "${id}", which is switched off: its output is that of the node before it.`;
      problems.warn(path, message, "Read the node before it, or switch it on.");
    }
    if (!graph.nodes.has(id)) {
      const hint = () => suggestOne(id, [...graph.nodes.keys()], "Nodes");
      problems.error(path, `The template reads ${quote(id)}, which is no node.`, hint);
    } else if (ranBefore === null || !reachable.has(node.id)) {
      // A node that never starts reads nothing, and in a cycle no node comes before another one.
    } else if (!ranBefore.isPossible(id, node.id)) {
      const message = `The template reads "${id}", which never runs before "${node.id}".`;
      const hint = "Read a node that leads to this one, or connect it.";
      if (isTested) problems.warn(path, message, hint);
      else problems.error(path, message, hint);
    } else if (!isTested && !ranBefore.isCertain(id, node.id)) {
      const message = `The template reads "${id}", which does not run before "${node.id}" in every run.`;
      const hint = `Test for it, as in {{if .Node.${id}}}…{{end}} or {{.Node.${id} | default ""}}.`;
      problems.error(path, message, hint);
    }
  }
}

function checkNames(
  check: TemplateCheck,
  { path }: TemplateField,
  { secrets, env }: References,
): void {
  const { problems, world, body } = check;
  const warnOrFail = world.purpose === "publish" ? problems.error : problems.warn;
  for (const name of world.secretNames === undefined ? [] : secrets) {
    if (world.secretNames?.has(name)) continue;
    const hint = () => suggestSecret(name, [...(world.secretNames ?? [])]);
    warnOrFail(path, `The workflow has no secret ${quote(name)}.`, hint);
  }
  for (const name of env) {
    if (Object.hasOwn(body.settings.env, name)) continue;
    const names = Object.keys(body.settings.env);
    const hint = () =>
      names.length === 0
        ? "Add it to the settings."
        : suggestOne(name, names, "Add it to the settings. Names");
    warnOrFail(path, `The settings have no environment value ${quote(name)}.`, hint);
  }
}

function checkItem(
  { problems }: TemplateCheck,
  template: TemplateField,
  { usesItem }: References,
): void {
  if (!usesItem) return;
  const { path, node, field } = template;
  if (field === "for_each") {
    const message = "The list of for_each cannot read .Item or .Index.";
    problems.error(path, message, "They exist in the other fields of the node.");
  } else if (!("for_each" in node) || node.for_each === undefined) {
    const message = "The template reads .Item or .Index, and the node has no for_each.";
    problems.error(path, message, "Set for_each, or read .Event or .Node.");
  }
}

/** The texts of a value that are templates, with their places. */
function* findTemplates(path: Path, value: unknown): Generator<{ path: Path; text: string }> {
  // The depth of a body is limited, but the paths of its values are only made for templates.
  if (typeof value === "string") {
    if (value.includes("{{")) yield { path, text: value };
  } else if (typeof value === "object" && value !== null) {
    const isList = Array.isArray(value);
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === "object" ? member !== null : typeof member === "string") {
        yield* findTemplates([...path, isList ? Number(key) : key], member);
      }
    }
  }
}
