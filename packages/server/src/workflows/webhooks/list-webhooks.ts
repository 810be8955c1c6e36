import { webhookTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import type { WebhookAddress, WorkflowWebhook } from "@hub/contract/workflow-webhook.ts";
import type { Caller } from "../../caller.ts";
import { listWorkflowSecrets } from "../../store/workflows/workflow-secrets.ts";
import { loadBody } from "../definition/body-text.ts";
import type { DefinitionDeps } from "../definition/definition-deps.ts";
import { loadWorkflow } from "../definition/workflow-access.ts";
import { listMethods, type WebhookTrigger } from "./receive/find-webhook-trigger.ts";
import { findSignatureHeader, findSignatureKind } from "./signatures/signature-kinds.ts";
import { toCurl } from "./webhook-to-curl.ts";

/** The webhook triggers of a workflow with their addresses. For its owner and admins. */
export async function listWebhooks(
  { store: { db } }: Pick<DefinitionDeps, "store">,
  caller: Caller,
  id: string,
  baseUrl: string,
): Promise<WorkflowWebhook[]> {
  const { draftBodyId, publishedBodyId } = await loadWorkflow(db, caller, id, "manage");
  const secrets = new Set((await listWorkflowSecrets(db, id)).map(({ name }) => name));
  const read = async (bodyId: string | null) =>
    bodyId === null ? [] : listTriggers(await loadBody(db, bodyId));
  const live = new Map((await read(publishedBodyId)).map((trigger) => [trigger.id, trigger]));
  const test = new Map((await read(draftBodyId)).map((trigger) => [trigger.id, trigger]));
  const toAddress = (door: string, trigger: WebhookTrigger | undefined) =>
    trigger === undefined ? null : toAddressFacts(trigger, `${baseUrl}/${door}/${id}`, secrets);
  return [...new Set([...live.keys(), ...test.keys()])].map((triggerId) => ({
    trigger_id: triggerId,
    label: (test.get(triggerId) ?? live.get(triggerId))?.label ?? null,
    live: toAddress("webhook", live.get(triggerId)),
    test: toAddress("webhook-test", test.get(triggerId)),
  }));
}

/** A draft may have errors: triggers that cannot be read have no address. */
function listTriggers(body: unknown): WebhookTrigger[] {
  const triggers: unknown = Object(body).triggers;
  if (!Array.isArray(triggers)) return [];
  return triggers.flatMap((trigger) => {
    const parsed = webhookTriggerSchema.safeParse(trigger);
    return parsed.success ? [parsed.data] : [];
  });
}

function toAddressFacts(
  trigger: WebhookTrigger,
  base: string,
  secrets: ReadonlySet<string>,
): WebhookAddress {
  const { path, secret_ref: secret, replay_window_s: windowS, respond_mode: mode } = trigger;
  const slug = (path ?? "")
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");
  const url = slug === "" ? base : `${base}/${slug}`;
  const methods = [...listMethods(trigger)];
  const signatureHeader = findSignatureHeader(trigger);
  return {
    url,
    methods,
    path,
    secret_ref: secret,
    replay_window_s: windowS,
    respond_mode: mode,
    is_secret_set: secret !== undefined && secrets.has(secret),
    curl: toCurl({
      url,
      method: methods[0] ?? "POST",
      secret,
      signatureHeader,
      windowS,
      signatureKind: findSignatureKind(trigger),
    }),
  };
}
