import fc from "fast-check";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { isWeakSecret } from "../../secrets/needles/estimate-strength.ts";
import {
  isOfRow,
  plantJson,
  plantText,
  type Secret,
  secretTexts,
} from "../../secrets/testing/secret-cases.ts";
import { containsToken, sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import type { LeakHub } from "./leak-hub.ts";

/** One call: how each of its secrets enters the hub, and everything that the call outputs. */
export type LeakCase = {
  /** Secrets of the row: a required field, and one that may be a short PIN. */
  token: string;
  pin: string;
  /** Typed as plaintext into an input tagged `secret`. */
  password: string;
  /** Passed as a value token, whole and within other text. */
  held: string;
  /** Named by the connector while it runs. */
  learned: string;
  learnedAnyCase: string;
  /** Other text from the model, including echoes. */
  text: string;
  data: unknown;
  progress: string[];
  logged: { message: string; details: unknown };
  ending: Ending;
  door: "operations" | "json" | "events" | "stateless" | "many";
};

export type Ending =
  | { kind: "result"; value: unknown }
  | { kind: "params" }
  | { kind: "upstream"; message: string; body: unknown; cause: string }
  | { kind: "error"; message: string; cause: string }
  | { kind: "fault"; message: string; cause: string }
  | { kind: "thrown"; value: string }
  | { kind: "unknown param"; name: string }
  | { kind: "broken token" };

/** Secrets of one call. */
export const secretsPerCall = 6;

/** The keys of the hub that gets the calls. */
export const ring = createKeyRing([new Uint8Array(32).fill(7)]);

/** Cases for `checkLeaks`, whose tokens open for this user. */
export function leakCases({
  userId,
  rowId,
}: Pick<LeakHub, "userId" | "rowId">): fc.Arbitrary<LeakCase> {
  return sources.chain((given) =>
    fc.record(listParts(given, { userId, rowId })).map((parts) => ({ ...given, ...parts })),
  );
}

/**
 * If a row's secret can be guessed, the hub's own sentences are not searched for it. So it must be no word of them:
 * the library sometimes makes "call".
 */
const rowSecretTexts = secretTexts.filter(
  (text) => !(/^[a-z]{4,}$/i.test(text) && isWeakSecret(text)),
);

const sources = fc.record({
  token: rowSecretTexts,
  pin: rowSecretTexts,
  // Texts with broken tokens are refused and recorded unchanged, so they are excluded.
  password: secretTexts.filter((text) => !containsToken(ring, text)),
  held: secretTexts,
  learned: secretTexts,
  learnedAnyCase: secretTexts,
});

type Sources = Pick<LeakCase, "token" | "pin" | "password" | "held" | "learned" | "learnedAnyCase">;

function listParts(given: Sources, { userId, rowId }: Pick<LeakHub, "userId" | "rowId">) {
  const secrets = [...listKnown(given), ...listLearned(given)];
  const toToken = (text: string) =>
    sealValue(ring, { userId, rowId: isOfRow(secrets, text) ? rowId : null }, text);
  const planting = { secrets, toToken };
  const text = plantText(planting);
  const json = plantJson(planting);
  const kind = <Kind extends Ending["kind"]>(name: Kind) => fc.constant(name);
  return {
    text,
    data: json,
    progress: fc.array(text, { maxLength: 2 }),
    logged: fc.record({ message: text, details: json }),
    door: fc.constantFrom<LeakCase["door"]>(
      "operations",
      "operations",
      "operations",
      "json",
      "events",
      "stateless",
      "many",
    ),
    ending: fc.oneof<fc.MaybeWeightedArbitrary<Ending>[]>(
      { weight: 6, arbitrary: fc.record({ kind: kind("result"), value: json }) },
      fc.record({ kind: kind("params") }),
      fc.record({ kind: kind("upstream"), message: text, body: json, cause: text }),
      fc.record({ kind: kind("upstream"), message: text, body: text, cause: text }),
      fc.record({ kind: kind("error"), message: text, cause: text }),
      fc.record({ kind: kind("fault"), message: text, cause: text }),
      fc.record({ kind: kind("thrown"), value: text }),
      fc.record({ kind: kind("unknown param"), name: text }),
      fc.record({ kind: kind("broken token") }),
    ),
  };
}

const toExact = (text: string): Secret => ({ text, anyCase: false });

/** The secrets that the hub knows before it opens a token. */
export function listKnown({ token, pin, password }: Sources): Secret[] {
  const ofRow = [token, pin].map((text) => ({ text, anyCase: false, ofRow: true }));
  return [...ofRow, toExact(password)];
}

/** The secrets that it learns from a token, or from the connector while it runs. */
export function listLearned({ held, learned, learnedAnyCase }: Sources): Secret[] {
  return [toExact(held), toExact(learned), { text: learnedAnyCase, anyCase: true }];
}
