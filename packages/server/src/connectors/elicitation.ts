import type { Json } from "@hub/connector";

/** A form of an outside system for the person whose client makes a call. */
export type ElicitedForm = {
  message: string;
  /** A flat JSON Schema, as MCP allows it. */
  requestedSchema: { readonly [name: string]: Json };
};

/** A page that an outside system asks this person to open. An admin has approved its host for the row. */
export type ElicitedPage = { message: string; url: string };

export type Elicited = ElicitedForm | ElicitedPage;

/** What the person did with it. `content` is there if a form was accepted: texts, numbers, booleans and lists of texts. */
export type ElicitedAnswer =
  | { action: "accept"; content?: Record<string, string | number | boolean | string[]> }
  | { action: "decline" | "cancel" };

/** Why something is not asked, as a sentence. */
export type NotAsked = { refused: string };

/** How a connector asks the person whose client makes a call, as from the row of the call. */
export type Elicitation = {
  /** What the client has declared. */
  shows: { form: boolean; url: boolean };
  /** Asks within the call. Absent if the client cannot be asked so. */
  ask?: ((asked: Elicited) => Promise<ElicitedAnswer | NotAsked>) | undefined;
  /** Asks by the answer to the call. Absent if the client cannot be asked so. */
  relay?: ElicitationRelay | undefined;
};

/** Questions with which a call ends. Its client makes the same call again with the answers, on any server. */
export type ElicitationRelay = {
  /** What came with this call as answers to an earlier one; null if nothing did. */
  answered: RelayedAnswers | null;
  /** False once the client has an answer to its call: then the call asks within. */
  isOpen(): boolean;
  /** Ends the call. Always throws. `kept` comes back with the answers. */
  end(questions: ReadonlyMap<string, Elicited>, kept: Json): never;
};

export type RelayedAnswers = {
  /** By the keys of the questions, as the client wrote them. */
  responses: Readonly<Record<string, unknown>>;
  /** What the connector kept. Only this user and principal can bring it, with an equal call. */
  kept: unknown;
};
