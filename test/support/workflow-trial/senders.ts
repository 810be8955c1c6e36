import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../random.ts";
import { type FlowName, type Flows, flowNames, isBlocking } from "./flows.ts";
import type { TrialServer } from "./servers.ts";

/** What a sender delivers until it is answered, under one id. */
export type Delivery = {
  id: string;
  flow: FlowName;
  body: string;
  /** The run of the last answer that accepted it. */
  run: string | null;
  /** Whether its run was cancelled, as an answer said. */
  isCancelled: boolean;
  isRefused: boolean;
};

type SendDeps = {
  servers: readonly TrialServer[];
  flows: Flows;
  random: Random;
  seed: number;
  token: string;
  isStopped(): boolean;
};

const workers = 12;
const tries = 4;

/** Sends deliveries until it is stopped. Those without an answer are sent again, to any server. */
export async function sendDeliveries(deps: SendDeps, deliveries: Delivery[]): Promise<void> {
  const { random } = deps;
  const work = async () => {
    while (!deps.isStopped()) {
      const delivery = createDelivery(deps, deliveries.length);
      deliveries.push(delivery);
      for (let sent = 0; sent < tries && delivery.run === null; sent += 1) {
        if (!(await deliver(deps, delivery))) await wait(random.below(400));
      }
      const isFinal = delivery.flow === "fails" || delivery.flow === "cancel";
      // Senders also repeat what was answered.
      if (delivery.run !== null && !isFinal && random.below(8) === 0) await deliver(deps, delivery);
      if (delivery.flow === "cancel") await cancel(deps, delivery);
      await wait(random.below(200));
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}

function createDelivery({ random, seed }: SendDeps, count: number): Delivery {
  const id = `${seed}/${count}`;
  const at = new Date(Date.now() + 1_500 + random.below(2_000)).toISOString();
  const facts = { run: null, isCancelled: false, isRefused: false };
  return { id, flow: random.pick(flowNames), body: JSON.stringify({ id, at }), ...facts };
}

/** Whether the delivery was answered. */
async function deliver(deps: SendDeps, delivery: Delivery): Promise<boolean> {
  const { id, flow, body } = delivery;
  const response = await ask(deps, `/webhook/${deps.flows[flow]}/`, {
    body,
    headers: { "x-hub-delivery": id, "content-type": "application/json" },
    waitMs: isBlocking(flow) ? 35_000 : 8_000,
  });
  if (response === null) return false;
  const { status, text, run } = response;
  if (status === 429) {
    delivery.isRefused = true;
    return true;
  }
  // A blocking answer that did not come in time: the run goes on.
  if (status === 503 || status === 504) return false;
  const isExpected = isBlocking(flow)
    ? status === 200 && (text === body || text === JSON.stringify(body))
    : status === 202 && text === '{"matched":1}';
  if (!isExpected || run === null) {
    throw new Error(`${flow} ${id} was answered ${status} ${text}`);
  }
  if (delivery.run !== null && delivery.run !== run) {
    throw new Error(`${flow} ${id} was answered with the runs ${delivery.run} and ${run}`);
  }
  delivery.run = run;
  return true;
}

async function cancel(deps: SendDeps, delivery: Delivery): Promise<void> {
  if (delivery.run === null) return;
  const path = `/manager/api/workflows/${deps.flows.cancel}/runs/${delivery.run}/cancel`;
  while (!delivery.isCancelled && !deps.isStopped()) {
    const headers = { authorization: `Bearer ${deps.token}`, "content-type": "application/json" };
    const response = await ask(deps, path, { body: "{}", headers, waitMs: 8_000 });
    delivery.isCancelled = response !== null && (response.status < 300 || response.status === 409);
    if (!delivery.isCancelled) await wait(200);
  }
}

type Ask = { body: string; headers: Record<string, string>; waitMs: number };

/** Null without an answer. */
async function ask({ servers, random }: SendDeps, path: string, { waitMs, ...init }: Ask) {
  try {
    const response = await fetch(`${random.pick(servers).url}${path}`, {
      method: "POST",
      ...init,
      signal: AbortSignal.timeout(waitMs),
    });
    const run = response.headers.get("x-hub-run-id");
    return { status: response.status, text: await response.text(), run };
  } catch {
    return null;
  }
}
