import { createHash } from "node:crypto";
import type { DiscoveredOperation, RowOperation } from "@hub/connector";
import { cleanDefinition } from "../../../connectors/by-row/clean-discovery.ts";
import { SchemaRefusal } from "../../../connectors/by-row/clean-schema.ts";
import type { ApprovedOperation } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import { writeJson } from "../../../lib/json/write-json.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import { discoverTools } from "../discover-tools.ts";
import type { McpSession, RequestContext } from "./open-mcp-session.ts";

/** A tool as the session of an account has it. */
type OfferedTool = { digest: string; isDestructive: boolean };

type OfferedTools = { readAt: number; changes: number; tools: Promise<Map<string, OfferedTool>> };

/** A server that does not say when its tools change is asked again after this. */
const keptMs = 10 * 60_000;

/** Compares the tools in sessions of users' accounts with those that an admin has approved. */
export class ApprovedTools {
  readonly #timers: Pick<Timers, "now">;
  readonly #offered = new WeakMap<McpSession, OfferedTools>();

  constructor(timers: Pick<Timers, "now">) {
    this.#timers = timers;
  }

  /**
   * Throws `operation_changed` if the server offers this account no such tool, or another one under its name. Attack: a
   * server shows admins a harmless tool, and other users another one.
   */
  async check(
    session: McpSession,
    ctx: RequestContext & { approved?: ApprovedOperation },
    { sourceName, inputSchema }: Pick<RowOperation, "sourceName" | "inputSchema">,
  ): Promise<void> {
    const { approved } = ctx;
    if (approved === undefined) return;
    const offered = (await this.#read(session, ctx)).get(sourceName);
    if (offered === undefined) throw refuse("The server does not offer it to your account.");
    const { name, description, destructive, reads = false } = approved;
    const digest = await digestTool({ name, description, inputSchema });
    // A mark of an admin is about the approved tool: what is not harmless there was not harmless before.
    const isBolder = offered.isDestructive && !destructive && !reads;
    if (digest === offered.digest && !isBolder) return;
    throw refuse("The server offers your account another operation under this name.");
  }

  async #read(session: McpSession, ctx: RequestContext): Promise<Map<string, OfferedTool>> {
    const now = this.#timers.now();
    const changes = session.countToolChanges();
    const known = this.#offered.get(session);
    if (known !== undefined && known.changes === changes && now - known.readAt < keptMs) {
      // The call that reads them may be cancelled, which is no failure of this one.
      const tools = await known.tools.catch(() => null);
      if (tools !== null) return tools;
    }
    const own: OfferedTools = { readAt: now, changes, tools: readTools(session, ctx) };
    this.#offered.set(session, own);
    try {
      return await own.tools;
    } catch (thrown) {
      if (this.#offered.get(session) === own) this.#offered.delete(session);
      throw thrown;
    }
  }
}

function refuse(what: string): HubError {
  return new HubError(
    "operation_changed",
    `${what} Nothing has run. Ask an admin to look at the operations of this row, or connect an account with other rights.`,
  );
}

const perPortion = 20;

async function readTools(
  session: McpSession,
  ctx: RequestContext,
): Promise<Map<string, OfferedTool>> {
  const found = await discoverTools(session, { ...ctx, leaveOut() {} });
  const tools = new Map<string, OfferedTool>();
  for (const [index, tool] of found.entries()) {
    if (index % perPortion === 0) await yieldToEventLoop();
    const offered = await readOffered(tool);
    // Of two with one name, a discovery takes the first.
    if (offered !== null && !tools.has(tool.sourceName)) tools.set(tool.sourceName, offered);
  }
  return tools;
}

/** Null for a tool that cannot be approved. */
async function readOffered(tool: DiscoveredOperation): Promise<OfferedTool | null> {
  try {
    const { name, description, inputSchema, destructive } = cleanDefinition(tool);
    const schema: unknown = JSON.parse(inputSchema);
    return {
      digest: await digestTool({ name, description, inputSchema: schema }),
      isDestructive: destructive,
    };
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return null;
    throw thrown;
  }
}

/** The order of members does not count. */
async function digestTool(tool: {
  name: string;
  description: string;
  inputSchema: unknown;
}): Promise<string> {
  const textCharsMax = Number.POSITIVE_INFINITY;
  const { text } = await writeJson({ yieldToEventLoop, textCharsMax, isSorted: true }, tool);
  return createHash("sha256").update(text).digest("base64url");
}
