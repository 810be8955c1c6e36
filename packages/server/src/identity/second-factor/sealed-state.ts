import { z } from "zod";
import { openAtRest, sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";

/**
 * States of a sign-in that a browser keeps and sends back. It can neither read nor forge them, and none opens as one of another
 * purpose, of another browser or session (`holder`), or after its time.
 */
export type StateKind = "half-way" | "set-up" | "new-totp" | "new-passkey" | "passkey-answer";

type StateSpec<Schema extends z.ZodType> = { kind: StateKind; schema: Schema; lastsMs: number };

const minuteMs = 60_000;
const charsMax = 4096;

/** A password was right, and the second factor is not given yet. It opens nothing but that page. */
export const halfWayState = {
  kind: "half-way",
  schema: z.strictObject({
    id: z.uuid(),
    userId: z.string(),
    /** A mark of the password that was compared: a new one ends the state. */
    password: z.string(),
    destination: z.string(),
  }),
  lastsMs: 5 * minuteMs,
} as const satisfies StateSpec<z.ZodType>;

/** The same for a user who must set up a factor first, which takes longer. */
export const setUpState = {
  kind: "set-up",
  schema: halfWayState.schema,
  lastsMs: 15 * minuteMs,
} as const satisfies StateSpec<z.ZodType>;

export type HalfWay = z.output<typeof halfWayState.schema>;

/** The secret of an app that has not shown yet that it has it. */
export const newTotpState = {
  kind: "new-totp",
  schema: z.strictObject({ userId: z.string(), secret: z.string() }),
  lastsMs: 15 * minuteMs,
} as const satisfies StateSpec<z.ZodType>;

/** A challenge for a browser that makes a passkey. */
export const newPasskeyState = {
  kind: "new-passkey",
  schema: z.strictObject({ id: z.uuid(), userId: z.string(), challenge: z.string() }),
  lastsMs: 5 * minuteMs,
} as const satisfies StateSpec<z.ZodType>;

/** A challenge that a passkey signs. `userId` is null while it is not known whose. */
export const passkeyAnswerState = {
  kind: "passkey-answer",
  schema: z.strictObject({ id: z.uuid(), userId: z.string().nullable(), challenge: z.string() }),
  lastsMs: 5 * minuteMs,
} as const satisfies StateSpec<z.ZodType>;

export type SealedPasskeyState = z.output<typeof passkeyAnswerState.schema>;

type Sealing = { ring: KeyRing; holder: string; now: number };

export function sealState<Schema extends z.ZodType>(
  { ring, holder, now }: Sealing,
  { kind, lastsMs }: StateSpec<Schema>,
  state: z.output<Schema>,
): string {
  const text = JSON.stringify({ endsAt: now + lastsMs, state });
  return Buffer.from(sealAtRest(ring, toLocation(kind, holder), text)).toString("base64url");
}

/** Null for a state that is over, forged, or of another purpose or holder: the result is the same. */
export function findState<Schema extends z.ZodType>(
  { ring, holder, now }: Sealing,
  { kind, schema }: StateSpec<Schema>,
  sealed: string | null | undefined,
): z.output<Schema> | null {
  if (!sealed || sealed.length > charsMax) return null;
  try {
    const text = openAtRest(ring, toLocation(kind, holder), Buffer.from(sealed, "base64url"));
    const { endsAt, state } = wrapperSchema.parse(JSON.parse(text));
    return endsAt > now ? schema.parse(state) : null;
  } catch {
    return null;
  }
}

const wrapperSchema = z.strictObject({ endsAt: z.number(), state: z.unknown() });

function toLocation(kind: StateKind, holder: string) {
  return { table: "sign-in-state", row: holder, field: kind };
}
