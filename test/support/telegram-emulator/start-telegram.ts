import { ApiError, badRequest, notFound, tooManyRequests, unauthorized } from "./api-error.ts";
import type { Bot } from "./bot.ts";
import { type MethodDeps, methods } from "./methods.ts";
import { checkParameters, findMethod, type Method, readRequest } from "./parameters.ts";
import { createPeople } from "./people.ts";
import { type Delivery, deliverToWebhook } from "./webhook-delivery.ts";
import { World } from "./world.ts";

/** One request, as the platform saw it. `status` is null while it is not answered. */
type TelegramCall = {
  bot: Bot;
  method: Method;
  params: Record<string, unknown>;
  status: number | null;
};

/** How the next calls of a method fail. */
export type Failure =
  /** The connection ends without an answer, and nothing happens. */
  | "drop"
  /** The method does its work, and the connection ends before the answer. */
  | "lose answer"
  /** No answer until the client gives up or the emulator stops. */
  | "hang"
  /** An answer that is not of the Bot API, as from a proxy. */
  | "bad gateway"
  | { retryAfterS: number }
  | { code: number; description: string };

type Options = {
  /** Allows `http://` webhooks at any address. */
  plainWebhooks?: boolean;
  /** Between two deliveries of an update to a webhook that fails. */
  webhookRetryMs?: number;
  now?: () => number;
};

export type TelegramEmulator = ReturnType<typeof startTelegram>;

/** Starts an emulator of the Bot API, with bots, people and chats that the test makes. */
export function startTelegram(options: Options = {}) {
  const now = options.now ?? Date.now;
  const stop = new AbortController();
  const waiting = new Set<() => void>();
  const changed = () => {
    for (const look of waiting) look();
  };
  const world = new World(now, () => {
    for (const bot of world.bots) startDelivery(bot);
    changed();
  });
  const calls: TelegramCall[] = [];
  const faults: string[] = [];
  const deliveries: Delivery[] = [];
  const failures: { method: Method; how: Failure }[] = [];
  const delivering = new Set<Bot>();

  function startDelivery(bot: Bot): void {
    const { webhook } = bot;
    if (webhook === null || delivering.has(bot) || stop.signal.aborted) return;
    delivering.add(bot);
    const deps = {
      retryMs: options.webhookRetryMs ?? 20,
      now,
      signal: stop.signal,
      onDelivery: (delivery: Delivery) => {
        deliveries.push(delivery);
        changed();
      },
      call: async (of: Bot, name: string, params: Record<string, unknown>) => {
        const method = findMethod(name);
        if (method !== null) await carryOut(of, method, params, stop.signal);
      },
    };
    // The queue is looked at again: something may arrive while the last delivery ends.
    void deliverToWebhook(deps, bot, webhook).finally(() => {
      delivering.delete(bot);
      if (bot.hasUpdates) startDelivery(bot);
    });
  }

  async function carryOut(
    bot: Bot,
    method: Method,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const deps: MethodDeps = {
      world,
      plainWebhooks: options.plainWebhooks ?? false,
      signal,
      webhookIsSet: startDelivery,
    };
    // Safe: the parameters are checked by the schema of this method.
    const handler = methods[method] as (deps: MethodDeps, bot: Bot, given: unknown) => unknown;
    return await handler(deps, bot, params);
  }

  async function answer(req: Request): Promise<Response> {
    const [, token, name] = /^\/bot([^/]+)\/(\w+)$/.exec(new URL(req.url).pathname) ?? [];
    if (token === undefined || name === undefined) throw notFound();
    if (!/^\d+:[\w-]{30,}$/.test(token)) throw notFound();
    const bot = world.bots.find((known) => known.token === token);
    if (bot === undefined || bot.isRevoked) throw unauthorized();
    const method = findMethod(name);
    if (method === null) {
      faults.push(`${name}: the method is unknown`);
      throw notFound();
    }
    const given = await readRequest(req);
    const isJson = req.headers.get("content-type")?.startsWith("application/json") ?? false;
    const call: TelegramCall = { bot, method, params: given, status: null };
    calls.push(call);
    changed();
    const status = (code: number) => {
      call.status = code;
      changed();
    };
    try {
      const failure = takeFailure(method);
      if (failure !== null && failure !== "lose answer") return await fail(failure, req.signal);
      const checked = checkParameters(method, given, !isJson);
      if (!checked.success) {
        const issues = checked.error.issues.map(
          ({ path, message }) => `${path.join(".")}: ${message}`,
        );
        faults.push(`${method}: ${issues.join("; ")}`);
        throw badRequest(`wrong parameters: ${issues.join("; ")}`);
      }
      const result = await carryOut(bot, method, checked.data, req.signal);
      if (failure === "lose answer") return dropped();
      status(200);
      return Response.json({ ok: true, result });
    } catch (error) {
      if (error instanceof ApiError) status(error.code);
      throw error;
    }
  }

  function takeFailure(method: Method): Failure | null {
    const index = failures.findIndex((failure) => failure.method === method);
    return index === -1 ? null : (failures.splice(index, 1)[0]?.how ?? null);
  }

  async function fail(how: Exclude<Failure, "lose answer">, signal: AbortSignal) {
    if (how === "drop") return dropped();
    if (how === "bad gateway") return new Response("<html>Bad Gateway</html>", { status: 502 });
    if (how === "hang") {
      await new Promise((resolve) => {
        for (const ends of [signal, stop.signal])
          ends.addEventListener("abort", resolve, { once: true });
      });
      return dropped();
    }
    if ("retryAfterS" in how) throw tooManyRequests(how.retryAfterS);
    throw new ApiError(how.code, how.description);
  }

  const serve = (port: number) =>
    Bun.serve({
      port,
      hostname: "127.0.0.1",
      // A long poll lasts longer than the default.
      idleTimeout: 60,
      async fetch(req) {
        try {
          return await answer(req);
        } catch (error) {
          if (error instanceof ApiError) return error.toResponse();
          throw error;
        }
      },
    });
  let server = serve(0);
  const port = server.port ?? 0;

  const people = createPeople(world);
  return {
    ...people,
    /** The API root that a client takes in place of `https://api.telegram.org`. */
    url: `http://127.0.0.1:${port}`,
    world,
    calls,
    /** What clients did wrong: parameters and methods that do not exist, and wrong types. */
    faults,
    /** Deliveries to webhooks with their answers. */
    deliveries,
    addBot: (given: Parameters<World["addBot"]>[0] = {}) => world.addBot(given),
    addUser: (given: Parameters<World["addUser"]>[0] = {}) => world.addUser(given),
    addChat: (info: Parameters<World["addChat"]>[0]) => world.addChat(info),
    privateChat: (...[bot, user]: Parameters<World["privateChat"]>) => world.privateChat(bot, user),
    callsOf: (method: Method) => calls.filter((call) => call.method === method),
    failNext(method: Method, how: Failure, times = 1): void {
      for (let left = times; left > 0; left -= 1) failures.push({ method, how });
    },
    /** Ends all connections at once. New ones are accepted. */
    async dropConnections(): Promise<void> {
      await server.stop(true);
      server = serve(port);
    },
    /** Refuses connections until `comeBack`. */
    goAway: () => server.stop(true),
    comeBack(): void {
      server = serve(port);
    },
    /** Polls as a second program with the same token does, which ends the poll of the first. */
    async pollFromElsewhere(bot: Bot): Promise<void> {
      await bot.poll({}, stop.signal);
    },
    /** Resolves when the condition holds. It is looked at after each call, answer and update. */
    async until(holds: () => boolean): Promise<void> {
      if (holds()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (!holds()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      await promise;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      for (const bot of world.bots) bot.endPoll([]);
      await server.stop(true);
    },
  };
}

/** Ends the connection in the middle of an answer. An error with a reason would be printed. */
const dropped = () => new Response(new ReadableStream({ start: (body) => body.error() }));
