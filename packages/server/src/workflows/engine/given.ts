import { type Json, parseJson, toJsonText } from "@hub/connector";

/** What a run got when it was asked for, beside its event. */
export type Given = {
  /** Outputs that stand in for those of nodes in a dry run, by node. */
  pins?: Record<string, Json>;
  /** An earlier run, whose outputs stand in for those of steps that a dry run does not carry out. */
  pinsFrom?: string;
  /** Whether only the first node runs. */
  isAlone?: true;
  /**
   * How often a step was refused in the runs that this one resumes, by `node:item`. Its next try is another
   * request for the outside system, so it gets another idempotency key.
   */
  generations?: Record<string, number>;
  /** When the run ends at the latest, waits included, in epoch ms: of a trial. */
  endsAt?: number;
  /** Whether its failure starts no error triggers, nor that of the runs that it starts: of a draft, unless asked for. */
  isQuiet?: true;
  /** Ids of the other hubs that the call which started the run has passed. Calls of the run pass them on. */
  hubs?: readonly string[];
};

/** What the runs that a run starts get of it: the end of its trial, whether it is quiet, and the hubs that led to it. */
export function passOn({ given }: { given: string | null }): { given?: Given } {
  const { endsAt, isQuiet, hubs } = readGiven(given);
  return toGiven({ endsAt, isQuiet, hubs });
}

/** Nothing if there is nothing. */
export function toGiven({ hubs, ...others }: Absent<Given>): { given?: Given } {
  const members = Object.entries({ ...others, hubs: hubs?.length === 0 ? undefined : hubs });
  const present = members.filter(([, value]) => value !== undefined);
  return present.length === 0 ? {} : { given: Object.fromEntries(present) };
}

type Absent<Record> = { [Name in keyof Record]?: Record[Name] | undefined };

export function toGivenText(given: Given | undefined): string | null {
  return given === undefined ? null : toJsonText(given as Json);
}

export function readGiven(text: string | null): Given {
  // Safe: `toGivenText` wrote it.
  return text === null ? {} : (parseJson(text) as Given);
}
