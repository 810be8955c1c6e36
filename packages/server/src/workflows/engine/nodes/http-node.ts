import type { Json } from "@hub/connector";
import type { NodeOf } from "@hub/contract/workflow-node.ts";
import type { Caller } from "../../../caller.ts";
import type { Network } from "../../../connectors/local-connector.ts";
import { HubError } from "../../../errors.ts";
import { namesTargets } from "../../../lib/call-bounds.ts";
import type { CallRecords } from "../../../operations/ports.ts";
import { outputBytesMax } from "../secrets/seal-steps.ts";
import { findEffects } from "../step/node-effects.ts";
import type { OpenStep, StepContext } from "../step/open-step.ts";
import { refuseStep } from "../step/step-failure.ts";
import { createOwnerFinder } from "./find-recent-owner.ts";
import {
  checkHttpRequest,
  type HttpRequest,
  httpFields,
  sendHttpRequest,
} from "./http-node-request.ts";

export type HttpDeps = {
  records: Pick<CallRecords, "runTask">;
  /** Whether workflows of users who are not admins may send requests. */
  isForUsers: boolean;
  /** Non-public destinations that may be called. */
  allow: readonly string[];
  network?: Network;
};

const timeoutSDefault = 60;

/**
 * Sends a request to a public address. It is recorded and masked like the call of an operation, and
 * value tokens in its fields are opened on the way out.
 */
export function createOpenHttp(deps: HttpDeps): OpenStep<"http"> {
  return async (ctx, node) => {
    const findOwner = createOwnerFinder(ctx);
    checkOwner(deps, await findOwner());
    const request = renderRequest(ctx, node);
    const { changes, repeats: effects } = findEffects(node);
    const timeoutMs = (node.timeout_s ?? timeoutSDefault) * 1000;
    return {
      input: request,
      effects,
      changes,
      isCall: true,
      async dryRun() {
        // Rendering keeps the shape of the fields.
        checkHttpRequest(request as HttpRequest);
        return {};
      },
      async run({ signal, idempotencyKey, recordCall }) {
        const caller = await findOwner();
        checkOwner(deps, caller);
        const origin = { source: "workflow" as const, ip: null, userAgent: null };
        const { id, workflowId, startedBy } = ctx.run;
        const cause = { kind: "workflow", id, startedBy, idempotencyKey } as const;
        const { network, allow } = deps;
        const sending = { allow, workflowId, ...(network && { network }) };
        const options = { ...sending, timeoutMs, idempotencyKey };
        const { value } = await deps.records.runTask(
          { caller, origin, signal, cause, onRecord: recordCall },
          {
            operationKey: "http",
            name: "request",
            params: request,
            fields: httpFields,
            timeoutMs,
            resultBytesMax: outputBytesMax,
            // Opening tokens keeps the shape of the params.
            run: (tools, params) =>
              sendHttpRequest(tools, params as HttpRequest, { ...options, now: ctx.now }),
          },
        );
        return { kind: "done", output: value };
      },
    };
  };
}

function checkOwner({ isForUsers }: HttpDeps, { role, bounds }: Caller): void {
  if (bounds !== undefined && namesTargets(bounds)) {
    throw new HubError(
      "forbidden",
      "This run was started by a token that is bound to rows and operations, so its http nodes send nothing.",
    );
  }
  if (isForUsers || role === "admin") return;
  throw new HubError(
    "forbidden",
    "Only workflows of admins may have http nodes on this hub. Use an operation of a row.",
  );
}

function renderRequest(ctx: StepContext, node: NodeOf<"http">): Record<string, Json> {
  return {
    method: node.method,
    url: toText("url", ctx.render(node.url)),
    headers: toTexts("headers", ctx.render(node.headers)),
    query: toTexts("query", ctx.render(node.query)),
    // Schemas of nodes accept any JSON value here.
    ...(node.body !== undefined && { body: ctx.render(node.body as Json) }),
    ...(node.body_base64 !== undefined && {
      body_base64: toText("body_base64", ctx.render(node.body_base64)),
    }),
  };
}

function toTexts(field: string, values: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Object(values)).map(([name, value]) => [name, toText(field, value)]),
  );
}

function toText(field: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw refuseStep(`A value of \`${field}\` is not text. Check its template.`);
}
