import { toJsonText } from "@hub/connector";
import {
  type WorkflowRunEvent,
  workflowRunSchema,
  workflowStepEventSchema,
} from "@hub/contract/workflow-run.ts";
import { z } from "zod";
import { toHubError } from "../../../errors.ts";
import { eventStreamHeaders } from "../../../lib/streams/event-stream.ts";
import { pullEventStream } from "../../../lib/streams/pull-event-stream.ts";
import { systemTimers } from "../../../lib/time/timers.ts";
import { type Following, followRun } from "../../../workflows/runs/follow-run.ts";
import { loadPermittedRun } from "../../../workflows/runs/load-permitted-run.ts";
import type { ApiRequest } from "../api-request.ts";
import { checkAnswer, describe, type Endpoint } from "../endpoint.ts";
import { streamsOfUserMax } from "../open-streams.ts";
import { readCall } from "../read-call.ts";
import { sendList } from "../send-list.ts";
import { byWorkflow } from "./path-params.ts";

/** The caller is authenticated again by each request, so that a stream does not outlive a token. */
const streamMsMax = 60_000;

const eventSchema = z.union([
  z.object({ step: workflowStepEventSchema }),
  z.object({ run: workflowRunSchema }),
]);

const spec = {
  name: "followWorkflowRun",
  summary: "Follow the steps of a run",
  description: `A client that accepts \`text/event-stream\` gets an event \`{"step": …}\` for each committed step, those of the past first, and \`{"run": …}\` when the run has ended. The stream ends after a minute at the latest: open it again. Other clients get the events so far. A user has at most ${streamsOfUserMax} streams open. Steps are for the owner of the workflow and for admins.`,
  params: byWorkflow.extend({
    run: z.string().max(64).meta({ description: "Id of a run." }),
  }),
  query: z.strictObject({
    items: z.enum(["true", "false"]).default("true").meta({
      description:
        "`false` leaves out the items of `for_each`, of which a node may have thousands. Their nodes are there.",
    }),
  }),
  answer: z.object({ events: z.array(eventSchema) }).meta({
    id: "WorkflowRunEvents",
    "x-streamed": "Server-sent events, each of them one of the `WorkflowRunEvents`.",
  }),
  failures: ["not_found" as const, "rate_limited" as const],
};

export const followWorkflowRun: Endpoint = {
  ...describe(spec, 200, ["application/json", "text/event-stream"]),
  async respond(req) {
    const call = await readCall(spec, req);
    const { services, caller } = call;
    const target = call.params as { workflow: string; run: string };
    // Before the headers are sent, so that a refusal gets its own status.
    await loadPermittedRun(services, caller, target, "see");
    const hasItems = (call.query as z.infer<typeof spec.query>).items === "true";
    if (req.wantsEvents) return stream(req, target, hasItems);
    const following = followRun(services, caller, target, { signal: AbortSignal.abort() });
    const pages = leaveItemsOut(following, hasItems);
    return await sendList(req, { schema: spec.answer, member: "events", head: {}, pages });
  },
};

async function* leaveItemsOut(
  pages: AsyncIterable<WorkflowRunEvent[]>,
  hasItems: boolean,
): AsyncGenerator<WorkflowRunEvent[]> {
  for await (const page of pages) {
    yield hasItems ? page : page.filter((event) => !("step" in event) || event.step.item === null);
  }
}

function stream(
  req: ApiRequest,
  target: { workflow: string; run: string },
  hasItems: boolean,
): Response {
  const endCount = req.countStream();
  const release = req.holdOpen();
  const ended = new AbortController();
  const signal = AbortSignal.any([req.signal, ended.signal, AbortSignal.timeout(streamMsMax)]);
  const body = pullEventStream(
    { timers: systemTimers },
    readFrames(req, target, { signal, hasItems }),
    () => {
      ended.abort();
      endCount();
      release();
    },
  );
  return new Response(body, {
    headers: { ...eventStreamHeaders, "Cache-Control": "no-store, no-transform" },
  });
}

async function* readFrames(
  req: ApiRequest,
  target: { workflow: string; run: string },
  { signal, hasItems }: { signal: AbortSignal; hasItems: boolean },
): AsyncGenerator<string> {
  try {
    const following: Following = { signal, acquireRead: req.checkAgain };
    const events = followRun(req.services, req.caller, target, following);
    for await (const page of leaveItemsOut(events, hasItems)) {
      for (const event of page) yield toJsonText(checkAnswer(eventSchema, event));
    }
  } catch (thrown) {
    const { message, code, cause } = toHubError(thrown);
    if (code === "internal") req.recordFault(cause ?? thrown);
    yield toJsonText({ error: message, code });
  }
}
