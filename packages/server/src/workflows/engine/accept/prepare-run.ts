import { type Json, toJsonText } from "@hub/connector";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { HubError } from "../../../errors.ts";
import {
  type NewRunOptions,
  withNewRunDefaults,
} from "../../../store/workflow-runs/workflow-run-columns.ts";
import type {
  AcceptWrite,
  QueuePolicy,
} from "../../../store/workflow-runs/workflow-run-records.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import type { Plan } from "../plan.ts";
import { type RunContext, toRunContextText } from "./run-context.ts";

/** What starts a run. Members of the new run that are left out have their defaults. */
export type RunRequest = Partial<NewRunOptions> & {
  workflow: KnownWorkflow;
  plan: Plan;
  /** Null for a run of the draft. */
  version: number | null;
  trigger: Pick<WorkflowTrigger, "id" | "type" | "entry">;
  payload: Json;
  /** Where the event came from, such as a network address. */
  source?: string | null;
  /** The e-mail of the user who started the run. */
  user?: string | null;
  /** Who or what started the run, for the audit: `webhook orders`. */
  startedBy: string;
  /** The users who started it, and the runs that led to it. They may not decide its approvals. */
  starterIds: readonly string[];
  deliveryId?: string | null;
  signedRequest?: AcceptWrite["signedRequest"];
  context?: RunContext;
  /** The time of the event, if it is that of an earlier run. */
  eventAt?: string;
  takeOver?: AcceptWrite["takeOver"];
  steps?: AcceptWrite["steps"];
};

type PrepareDeps = { now(): number; createRunId(): string };

/** Payloads of runs that wait may have this many bytes together, in one workflow. */
const waitingBytesMax = 256 * 1024 * 1024;
const scheduledMax = 1000;

/** The run that a request asks for, ready to be stored. */
export function prepareRun(deps: PrepareDeps, request: RunRequest): Omit<AcceptWrite, "claimBy"> {
  const { workflow, plan, trigger, version } = request;
  const at = deps.now();
  const eventAt = request.eventAt === undefined ? at : Date.parse(request.eventAt);
  const event = {
    Type: trigger.type,
    TriggerID: trigger.id,
    Payload: request.payload,
    Source: request.source ?? null,
    User: request.user ?? null,
    At: new Date(eventAt).toISOString(),
    ts: eventAt / 1000,
  };
  return {
    run: {
      ...withNewRunDefaults(request),
      id: deps.createRunId(),
      workflowId: workflow.id,
      bodyId: plan.bodyId,
      version,
      ownerId: workflow.ownerId,
      triggerId: trigger.id,
      triggerType: trigger.type,
      entry: trigger.entry,
      startedBy: request.startedBy,
      starterIds: writeStarterIds(request.starterIds),
      severity: plan.body.settings.severity,
      createdAt: at,
      event: toJsonText(event),
      context: toRunContextText(request.context),
    },
    queue: toQueuePolicy(plan),
    deliveryId: request.deliveryId ?? null,
    signedRequest: request.signedRequest,
    takeOver: request.takeOver,
    steps: request.steps,
  };
}

/** At most this many users can have led to a run. */
const startersMax = 100;

function writeStarterIds(ids: readonly string[]): string | null {
  const unique = [...new Set(ids)];
  if (unique.length > startersMax) {
    throw new HubError(
      "conflict",
      `More than ${startersMax} users have replayed one run after another. Start a new one.`,
    );
  }
  return unique.length === 0 ? null : JSON.stringify(unique);
}

/** The queue settings of a body. */
export function toQueuePolicy({ body }: Pick<Plan, "body">): QueuePolicy {
  const { policy, runs_at_once: runsAtOnce, waiting_max: waitingMax } = body.settings.queue;
  const { frees_place: freesPlace } = body.settings.queue;
  return { policy, runsAtOnce, freesPlace, waitingMax, waitingBytesMax, scheduledMax };
}

/** Of a run whose body cannot be read. It can still be claimed, which fails it, and cancelled. */
export const unknownQueue: QueuePolicy = {
  policy: "parallel",
  runsAtOnce: 256,
  freesPlace: true,
  waitingMax: 0,
  waitingBytesMax: 0,
  scheduledMax: 0,
};
