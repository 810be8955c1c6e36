import { randomUUID } from "node:crypto";
import type { Server, ServerWebSocket } from "bun";
import type { Attempt, Outcome, Transport } from "./deliveries.ts";
import type { Workspace } from "./workspace.ts";

export type SocketData = { ticket: string };
type Socket = ServerWebSocket<SocketData>;
type DisconnectReason = "warning" | "refresh_requested" | "link_disabled" | "too_many_websockets";

export type SocketMode = {
  /** The address that apps.connections.open answers. It works once. */
  newUrl(origin: string): string;
  isEnabled(): boolean;
  upgrade(request: Request, server: Server<SocketData>): Response | undefined;
  websocket: {
    open(socket: Socket): void;
    message(socket: Socket, text: string | Buffer): void;
    close(socket: Socket): void;
  };
  transport: Transport;
  /** Resolves when this many connections are open and greeted. */
  connected(count?: number): Promise<void>;
  connections(): number;
  /** Greets no connection, until the function that it returns is called. */
  holdGreetings(): () => void;
  /** Cuts all connections, without a close frame. */
  drop(): void;
  /** Tells the connections to go. After `link_disabled`, apps.connections.open is refused until `enable`. */
  disconnect(reason: DisconnectReason): void;
  enable(): void;
};

const connectionsMax = 10;
const host = "applink-emulated";

export function createSocketMode(slack: Workspace): SocketMode {
  const tickets = new Set<string>();
  const sockets = new Set<Socket>();
  /** Those of them that got `hello`. Slack sends payloads to any of these. */
  const greeted = new Set<Socket>();
  const pending = new Map<
    string,
    { attempt: Attempt; socket: Socket; done: (outcome: Outcome) => void }
  >();
  const answered = new Set<string>();
  const waiting: { count: number; resolve: () => void }[] = [];
  let isEnabled = true;
  let isSilent = false;
  let next = 0;

  const send = (socket: Socket, message: unknown) => void socket.send(JSON.stringify(message));
  const sendDisconnect = (socket: Socket, reason: DisconnectReason) =>
    send(socket, { type: "disconnect", reason, debug_info: { host } });
  const wake = () => {
    for (const waiter of waiting.splice(0)) {
      if (greeted.size >= waiter.count) waiter.resolve();
      else waiting.push(waiter);
    }
  };
  const greet = (socket: Socket) => {
    greeted.add(socket);
    send(socket, {
      type: "hello",
      connection_info: { app_id: slack.appId },
      num_connections: sockets.size,
      debug_info: { host, build_number: 1, approximate_connection_time: 18_060 },
    });
    socket.ping("Ping from emulated Slack");
    wake();
  };

  return {
    newUrl(origin) {
      const ticket = randomUUID();
      tickets.add(ticket);
      return `${origin.replace("http", "ws")}/link/?ticket=${ticket}&app_id=${slack.appId}`;
    },
    isEnabled: () => isEnabled,
    upgrade(request, server) {
      const query = new URL(request.url).searchParams;
      const ticket = query.get("ticket") ?? "";
      if (!tickets.delete(ticket) || query.get("app_id") !== slack.appId) {
        slack.faults.push("Socket Mode: the address was used before, or is not from Slack.");
        return new Response(null, { status: 401 });
      }
      return server.upgrade(request, { data: { ticket } })
        ? undefined
        : new Response(null, { status: 426 });
    },
    websocket: {
      open(socket) {
        if (sockets.size >= connectionsMax) {
          sendDisconnect(socket, "too_many_websockets");
          socket.close();
          return;
        }
        sockets.add(socket);
        if (!isSilent) greet(socket);
      },
      message(socket, text) {
        const fault = (what: string) => void slack.faults.push(`Socket Mode: ${what}`);
        if (!sockets.has(socket)) return fault("a message on a closed connection.");
        if (typeof text !== "string") return fault("a binary message.");
        const frame = parseAcknowledgement(text);
        if (typeof frame === "string") return fault(frame);
        const sent = pending.get(frame.envelopeId);
        if (!sent) {
          const what = answered.has(frame.envelopeId) ? "acknowledged twice" : "unknown";
          return fault(`the envelope ${frame.envelopeId} is ${what}.`);
        }
        if (sent.socket !== socket) {
          fault(`the envelope ${frame.envelopeId} was sent on another connection.`);
        }
        pending.delete(frame.envelopeId);
        answered.add(frame.envelopeId);
        if (frame.answer !== null && !sent.attempt.delivery.acceptsResponse) {
          fault(`the envelope ${frame.envelopeId} accepts no response payload.`);
        }
        sent.done({ state: "acknowledged", answer: frame.answer });
      },
      close(socket) {
        sockets.delete(socket);
        greeted.delete(socket);
      },
    },
    transport(attempt, done) {
      const open = [...greeted];
      const socket = open[next++ % open.length];
      if (!socket) return done({ state: "failed", reason: "connection_failed" });
      const { delivery } = attempt;
      const envelopeId = randomUUID();
      pending.set(envelopeId, { attempt, socket, done });
      send(socket, {
        envelope_id: envelopeId,
        payload: delivery.payload,
        type: delivery.kind,
        accepts_response_payload: delivery.acceptsResponse,
        ...(delivery.kind === "events_api" && {
          retry_attempt: attempt.retry,
          retry_reason: attempt.retryReason ?? "",
        }),
      });
    },
    connected(count = 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      wake();
      return promise;
    },
    connections: () => sockets.size,
    holdGreetings() {
      isSilent = true;
      return () => {
        isSilent = false;
        for (const socket of sockets) if (!greeted.has(socket)) greet(socket);
      };
    },
    drop() {
      for (const socket of [...sockets]) {
        sockets.delete(socket);
        greeted.delete(socket);
        socket.terminate();
      }
    },
    disconnect(reason) {
      if (reason === "link_disabled") isEnabled = false;
      for (const socket of [...sockets]) {
        sendDisconnect(socket, reason);
        // Slack closes the connection some seconds after its message.
        const graceMs = reason === "warning" ? 10_000 : 2_000;
        slack.clock.after(graceMs, () => socket.close());
      }
    },
    enable() {
      isEnabled = true;
    },
  };
}

/** Reads `{ envelope_id, payload? }`, and describes what is wrong with another frame. */
function parseAcknowledgement(text: string): { envelopeId: string; answer: unknown } | string {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return "a message that is no JSON.";
  }
  if (typeof frame !== "object" || frame === null) return "a message that is no object.";
  const { envelope_id: envelopeId, payload, ...others } = Object.fromEntries(Object.entries(frame));
  if (typeof envelopeId !== "string") return "an acknowledgement without envelope_id.";
  if (Object.keys(others).length > 0) return `unknown members: ${Object.keys(others)}.`;
  if (payload === undefined) return { envelopeId, answer: null };
  if (typeof payload !== "object" || payload === null) return "a payload that is no object.";
  return { envelopeId, answer: Object.keys(payload).length > 0 ? payload : null };
}
