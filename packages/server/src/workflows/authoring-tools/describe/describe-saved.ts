import { listDisabledNodes } from "@hub/contract/disabled-nodes.ts";
import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { cronTriggerSchema, webhookTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import type { WorkflowWebhook } from "@hub/contract/workflow-webhook.ts";
import type { Caller } from "../../../caller.ts";
import type { DefinitionDeps } from "../../definition/definition-deps.ts";
import { listObjects } from "../../definition/walk-body.ts";
import { createCronTimes, toLocalTime } from "../../triggers/cron/cron-times.ts";
import { findHubTimezone } from "../../triggers/hub-timezone.ts";
import { listWebhooks } from "../../webhooks/list-webhooks.ts";
import type { WebhookTrigger } from "../../webhooks/receive/find-webhook-trigger.ts";
import {
  describeSignature as describeSent,
  findSignatureKind,
} from "../../webhooks/signatures/signature-kinds.ts";
import { toTestParams } from "./run-now-params.ts";
import { hintAtPeople, isAboutReadSecret, isAboutSecret } from "./secret-problems.ts";

/** A saved or published workflow, as a model needs it to go on. */
export type SavedAnswer = {
  workflow_id: string;
  name: string;
  /** For the next workflow_save. */
  revision: number | null;
  /** 0 if it was never published. */
  version: number;
  enabled: boolean;
  page: string;
  /** What would stop the publication of the draft. */
  problems: WorkflowProblem[];
  webhooks?: object[];
  next_ticks?: object[];
  secrets_to_set?: string[];
  /** Nodes that run nothing. */
  switched_off?: string[];
  test_with: object | null;
  next: string;
};

type Deps = Pick<DefinitionDeps, "store" | "now" | "config"> & { findBaseUrl(): Promise<string> };
type Saved = { detail: WorkflowDetail; problems: WorkflowProblem[]; mayPublish: boolean };

export async function describeSaved(
  deps: Deps,
  caller: Caller,
  { detail, problems, mayPublish }: Saved,
): Promise<SavedAnswer> {
  const { id, name, version, enabled, draft, body } = detail;
  const baseUrl = await deps.findBaseUrl();
  const page = `${baseUrl}/workflows/${id}`;
  const webhooks = listAddresses(await listWebhooks(deps, caller, id, baseUrl), body);
  const ticks = listTicks(body, deps.now());
  const unset = (detail.secrets ?? []).filter((secret) => secret.is_used && !secret.is_set);
  const secrets = unset.map((secret) => secret.name);
  const off = listDisabledNodes(body).map((node) => node.id);
  const test = toTestParams(id, body, deps.now());
  const isPublished = draft?.is_published === true;
  return {
    workflow_id: id,
    name,
    revision: draft?.revision ?? null,
    version,
    enabled,
    page,
    problems: hintAtPeople(problems),
    ...(webhooks.length > 0 && { webhooks }),
    ...(ticks.length > 0 && { next_ticks: ticks }),
    ...(secrets.length > 0 && { secrets_to_set: secrets }),
    ...(off.length > 0 && { switched_off: off }),
    test_with: isPublished ? null : test,
    next: isPublished
      ? "The draft is published."
      : sayNext({ page, problems, secrets, mayPublish, id, revision: draft?.revision ?? 0 }),
  };
}

type Facts = {
  id: string;
  revision: number;
  page: string;
  problems: readonly WorkflowProblem[];
  secrets: readonly string[];
  mayPublish: boolean;
};

function sayNext({ id, revision, page, problems, secrets, mayPublish }: Facts): string {
  const errors = problems.filter(
    (problem) => problem.severity === "error" && !isAboutSecret(problem),
  );
  if (errors.length > 0) {
    return `Correct the errors and save the whole body with workflow_save and revision ${revision}.`;
  }
  const isRead = problems.some(isAboutReadSecret);
  const first =
    secrets.length === 0
      ? ""
      : `A person must set ${secrets.length === 1 ? "the secret" : "the secrets"} ${secrets.join(", ")} on ${page}; never ask for the value here. The draft can be tested before${isRead ? ", but steps that read a secret fail until then" : ""}. `;
  const publish = mayPublish
    ? `then publish it with workflow_publish {"workflow_id": "${id}", "revision": ${revision}}.`
    : `then ask a person to open ${page}, look at the draft and press Publish. Until then its triggers do not fire.`;
  return `${first}Test the draft with workflow_run_now and the params of test_with, with a payload that fits; ${publish}`;
}

/** Of the draft, or of the published version if the draft has no webhook. */
function listAddresses(webhooks: readonly WorkflowWebhook[], body: unknown): object[] {
  const triggers = listObjects(body, "triggers").flatMap((trigger) => {
    const { success, data } = webhookTriggerSchema.safeParse(trigger);
    return success ? [data] : [];
  });
  return triggers.flatMap((trigger) => {
    const found = webhooks.find(({ trigger_id: id }) => id === trigger.id)?.test;
    if (!found) return [];
    const { secret_ref: secret } = trigger;
    return [
      {
        trigger_id: trigger.id,
        address: found.url.replace("/webhook-test/", "/webhook/"),
        methods: found.methods,
        signature: describeSignature(trigger),
        ...(secret !== undefined && { is_secret_set: found.is_secret_set }),
      },
    ];
  });
}

function describeSignature(trigger: WebhookTrigger): string {
  const { secret_ref: secret, replay_window_s: windowS } = trigger;
  if (secret === undefined) {
    return "None: everyone who knows the address can send. To sign, set secret_ref to a name.";
  }
  if (findSignatureKind(trigger) !== "hub") {
    return `The sender sends ${describeSent(trigger)}, with the secret ${secret}.`;
  }
  const time =
    windowS === undefined
      ? ""
      : ` Also X-Hub-Timestamp: <Unix seconds> and X-Hub-Sig-Timestamped: sha256=<hex HMAC-SHA256 of TIMESTAMP.BODY>.`;
  return `The sender sends ${describeSent(trigger)}, with the secret ${secret}.${time}`;
}

const ticksShown = 3;
/** Enough to check; a body can have a hundred. */
const cronsMax = 5;

function listTicks(body: unknown, now: number): object[] {
  const crons = listObjects(body, "triggers").flatMap((trigger) => {
    const { success, data } = cronTriggerSchema.safeParse(trigger);
    return success ? [data] : [];
  });
  return crons.slice(0, cronsMax).flatMap(({ id, schedule, timezone }) => {
    try {
      const zone = timezone ?? findHubTimezone();
      const times = createCronTimes(schedule, zone);
      const next: string[] = [];
      for (let after = now; next.length < ticksShown; ) {
        const time = times.findNext(after);
        if (time === null) break;
        next.push(toLocalTime(time, zone));
        after = time;
      }
      return [{ trigger_id: id, timezone: zone, next }];
    } catch {
      // A schedule that cannot be read is among the problems.
      return [];
    }
  });
}
