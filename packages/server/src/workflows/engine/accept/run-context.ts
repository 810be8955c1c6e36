import { parseJson, toJsonText } from "@hub/connector";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import { callBoundsSchema } from "../../../lib/call-bounds.ts";

/** Members that other versions of the hub wrote are left out. */
const runContextSchema = z.object({
  /** Outputs that stand in for those of nodes in a dry run, by node. */
  pins: z.record(z.string(), z.unknown()).optional(),
  /** An earlier run, whose outputs stand in for those of steps that a dry run does not carry out. */
  pinsFrom: z.string().optional(),
  /** Whether only the first node runs. */
  isAlone: z.literal(true).optional(),
  /**
   * How often a step was refused in the runs that this one resumes, by `node:item`. Its next try is another
   * request for the outside system, so it gets another idempotency key.
   */
  generations: z.record(z.string(), z.number()).optional(),
  /** When the run ends at the latest, waits included, in epoch ms: of a trial. */
  endsAt: z.number().optional(),
  /** Whether its failure starts no error triggers, nor that of the runs that it starts: of a draft, unless asked for. */
  isQuiet: z.literal(true).optional(),
  /** Ids of the other hubs that the call which started the run has passed. Calls of the run pass them on. */
  hubs: z.array(z.string()).readonly().optional(),
  /** The bounds of the token whose call led to the run. All calls of the run are held to them. */
  bounds: callBoundsSchema.optional(),
});

/** What a run is started with beside its event. Stored as JSON with the run. */
export type RunContext = z.output<typeof runContextSchema>;

/**
 * The context of the runs that a run starts: the end of its trial, whether it is quiet, the hubs that led to it, and its
 * bounds.
 */
export function passOnContext({ context }: { context: string | null }): { context?: RunContext } {
  const { endsAt, isQuiet, hubs, bounds } = readRunContext(context);
  return toRunContext({ endsAt, isQuiet, hubs, bounds });
}

/** The member `context` of a request. Left out if no member of it is present. */
export function toRunContext({ hubs, ...others }: RunContext): { context?: RunContext } {
  const members = Object.entries({ ...others, hubs: hubs?.length === 0 ? undefined : hubs });
  const present = members.filter(([, value]) => value !== undefined);
  return present.length === 0 ? {} : { context: Object.fromEntries(present) };
}

export function toRunContextText(context: RunContext | undefined): string | null {
  return context === undefined ? null : toJsonText(context);
}

/** Reads the stored context of a run. Throws `internal` if it is no JSON or a member is invalid. */
export function readRunContext(text: string | null): RunContext {
  if (text === null) return {};
  const { data, error } = runContextSchema.safeParse(parseStored(text));
  if (data !== undefined) return data;
  throw refuseContext(error.issues[0]?.path.join(".") || "it", error);
}

function parseStored(text: string): unknown {
  try {
    return parseJson(text);
  } catch (thrown) {
    throw refuseContext("it", thrown);
  }
}

function refuseContext(member: string, cause: unknown): HubError {
  return new HubError(
    "internal",
    `The stored context of the run is invalid at "${member}". Start a new run.`,
    { cause },
  );
}
