import type { TriggerOf } from "@hub/contract/workflow-trigger.ts";
import { findReferences } from "../../templates/find-references.ts";
import { parseTemplate } from "../../templates/parse/parser.ts";
import { TemplateError } from "../../templates/template-error.ts";
import { signatureKinds } from "../../webhooks/signatures/signature-kinds.ts";
import { suggestSecret } from "../describe-issue.ts";
import type { Graph } from "../graph/body-graph.ts";
import type { Path, ProblemList } from "../problem-list.ts";
import type { ValidationWorld } from "../validation-world.ts";

type WebhookCheck = { problems: ProblemList; graph: Graph; world: ValidationWorld };

/** One segment of a slug: the characters that an address needs not encode. */
const segmentPattern = /^[A-Za-z0-9._~-]+$/;

/** Checks what the schema cannot see in a webhook trigger. */
export function checkWebhook(check: WebhookCheck, path: Path, trigger: TriggerOf<"webhook">): void {
  const { problems, world } = check;
  const fault = trigger.path === undefined ? null : findSlugFault(trigger.path);
  if (fault !== null) {
    problems.error([...path, "path"], fault, "A slug looks like orders or orders/new.");
  }
  const { secret_ref: secret } = trigger;
  if (secret !== undefined && world.secretNames?.has(secret) === false) {
    const message = `The workflow has no secret "${secret}", so every request is refused.`;
    const hint = suggestSecret(secret, [...world.secretNames]);
    if (world.purpose === "publish") problems.error([...path, "secret_ref"], message, hint);
    else problems.warn([...path, "secret_ref"], message, hint);
  }
  checkSignatureKind(check, path, trigger);
  if (trigger.replay_window_s !== undefined && secret === undefined) {
    const message = "replay_window_s has no effect without secret_ref.";
    problems.warn([...path, "replay_window_s"], message, "Set secret_ref too.");
  }
  if (trigger.delivery_id !== undefined) {
    checkDeliveryId(problems, [...path, "delivery_id"], trigger.delivery_id);
  }
  checkRespond(check, path, trigger);
}

function checkSignatureKind(
  { problems, world }: WebhookCheck,
  path: Path,
  trigger: TriggerOf<"webhook">,
): void {
  const { signature: kind, signature_header: header, secret_ref: secret } = trigger;
  if (kind === undefined) return;
  const at = [...path, "signature"];
  if (secret === undefined) {
    const message = "signature has no effect without secret_ref, so everyone may send requests.";
    const hint = "Set secret_ref to the name of the sender's secret, or leave signature out.";
    if (world.purpose === "publish") problems.error(at, message, hint);
    else problems.warn(at, message, hint);
  }
  if (kind === "header" && header === undefined) {
    const message = "signature: header needs signature_header.";
    problems.error(at, message, "Name the header that has the secret, such as X-Api-Key.");
  }
  if (header !== undefined && kind !== "header" && kind !== "hub") {
    const message = `signature_header has no effect with signature: ${kind}.`;
    problems.warn([...path, "signature_header"], message, "Leave it out.");
  }
  if (trigger.replay_window_s !== undefined && signatureKinds[kind].isTimed === undefined) {
    const message = `replay_window_s has no effect with signature: ${kind}, which covers no time.`;
    problems.warn([...path, "replay_window_s"], message, "Leave it out.");
  }
}

/** It is rendered before the run exists, over what a stranger sent. */
function checkDeliveryId(problems: ProblemList, path: Path, template: string): void {
  const hint = "The id in a JSON body is {{.Event.Payload.body.id}}.";
  try {
    const { event, nodes, secrets, usesItem } = findReferences(parseTemplate(template));
    if (event.length > 0 && nodes.length === 0 && secrets.length === 0 && !usesItem) return;
    problems.error(path, "delivery_id reads .Event and .Env, and nothing else.", hint);
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    problems.error(path, thrown.message, hint);
  }
}

function findSlugFault(slug: string): string | null {
  if (slug === "") return "The path is empty. To accept every path, leave it out.";
  if (slug.startsWith("/")) return "The path begins with a slash.";
  for (const segment of slug.split("/")) {
    if (segment === "") return "The path has an empty segment.";
    // Clients remove such segments before they send a request.
    if (segment === "." || segment === "..") return `The path has the segment "${segment}".`;
    if (!segmentPattern.test(segment)) {
      return "The path has a character other than letters, digits, ., _, ~ and -.";
    }
  }
  return null;
}

function checkRespond(check: WebhookCheck, path: Path, trigger: TriggerOf<"webhook">): void {
  if (trigger.respond_mode !== "respond_node") return;
  const { graph, problems } = check;
  if (!graph.nodes.has(trigger.entry)) return;
  for (const id of graph.reachableFrom(trigger.entry)) {
    const node = graph.nodes.get(id);
    if (node?.type === "webhook_respond" && !node.disabled) return;
  }
  const message = `No webhook_respond node can be reached from "${trigger.entry}".`;
  const hint = "Connect one, or choose another respond_mode. Without it, requests get 502.";
  problems.warn([...path, "respond_mode"], message, hint);
}
