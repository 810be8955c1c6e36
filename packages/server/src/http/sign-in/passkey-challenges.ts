import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import type { NewFactor } from "../../identity/second-factor/add-factor.ts";
import type { GivenFactor, GivenPasskey } from "../../identity/second-factor/prove-factor.ts";
import {
  findState,
  newPasskeyState,
  newTotpState,
  passkeyAnswerState,
  sealState,
} from "../../identity/second-factor/sealed-state.ts";
import { createTotpSecret } from "../../identity/second-factor/totp.ts";
import {
  findRelyingPartyId,
  newPasskeySchema,
  passkeyAlgorithms,
  passkeyAnswerSchema,
} from "../../identity/second-factor/webauthn.ts";
import type { SecondFactor } from "../../store/users/second-factors-table.ts";
import type { AppEnv } from "../app-env.ts";
import type { PasskeyOptions } from "../pages/factors/passkey-form.tsx";
import { type HalfWayDeps, toSealing } from "./half-way-cookie.ts";

type Challenge = { state: string; options: PasskeyOptions };

const createChallenge = () => randomBytes(32).toString("base64url");

const toKeys = (factors: readonly SecondFactor[]) =>
  factors.flatMap((factor) =>
    factor.kind === "passkey" ? [Buffer.from(factor.credentialId).toString("base64url")] : [],
  );

/** A challenge for the passkeys of a user; null if there are none, or this address has none. */
export function askPasskey(
  deps: HalfWayDeps,
  ctx: Context<AppEnv>,
  user: { id: string; factors: readonly SecondFactor[] },
): Challenge | null {
  const keys = toKeys(user.factors);
  return keys.length === 0 ? null : toChallenge(deps, ctx, { userId: user.id, keys });
}

/** A challenge for whatever passkey the browser has for this hub, which must check who the person is. */
export function askAnyPasskey(deps: HalfWayDeps, ctx: Context<AppEnv>): Challenge | null {
  return toChallenge(deps, ctx, { userId: null, keys: [] });
}

function toChallenge(
  deps: HalfWayDeps,
  ctx: Context<AppEnv>,
  { userId, keys }: { userId: string | null; keys: string[] },
): Challenge | null {
  const rp = findRelyingPartyId(deps.baseUrl);
  if (rp === null) return null;
  const challenge = createChallenge();
  const state = { id: crypto.randomUUID(), userId, challenge };
  return {
    state: sealState(toSealing(deps, ctx), passkeyAnswerState, state),
    options: {
      challenge,
      keys,
      rpId: rp.host,
      verification: userId === null ? "required" : "preferred",
    },
  };
}

/** A challenge for a new passkey of a user; null if this address has none. */
export function askNewPasskey(
  deps: HalfWayDeps,
  ctx: Context<AppEnv>,
  user: { id: string; email: string; name: string; factors: readonly SecondFactor[] },
): Challenge | null {
  const rp = findRelyingPartyId(deps.baseUrl);
  if (rp === null) return null;
  const challenge = createChallenge();
  const state = { id: crypto.randomUUID(), userId: user.id, challenge };
  return {
    state: sealState(toSealing(deps, ctx), newPasskeyState, state),
    options: {
      challenge,
      keys: toKeys(user.factors),
      rp: { id: rp.host, name: "Hub" },
      user: { id: user.id, email: user.email, name: user.name },
      algorithms: passkeyAlgorithms,
    },
  };
}

/** The answer of a passkey in a form; null if it is not valid, or its challenge is over or of another browser. */
export function readPasskeyAnswer(deps: HalfWayDeps, ctx: Context<AppEnv>): GivenPasskey | null {
  const form = ctx.get("form");
  const rp = findRelyingPartyId(deps.baseUrl);
  const answer = passkeyAnswerSchema.safeParse(Object.fromEntries(form));
  const state = findState(toSealing(deps, ctx), passkeyAnswerState, form.get("state"));
  if (rp === null || !answer.success || state === null) return null;
  return { answer: answer.data, state, rp };
}

/** The new passkey in a form, for this user; null if it is not valid, or its challenge is over or of another browser. */
export function readNewFactor(
  deps: HalfWayDeps,
  ctx: Context<AppEnv>,
  userId: string,
): NewFactor | null {
  const form = ctx.get("form");
  const name = readName(form, "Passkey");
  const rp = findRelyingPartyId(deps.baseUrl);
  const given = { ...Object.fromEntries(form), algorithm: Number(form.get("algorithm")) };
  const answer = newPasskeySchema.safeParse(given);
  const state = findState(toSealing(deps, ctx), newPasskeyState, form.get("state"));
  if (rp === null || !answer.success || state?.userId !== userId) return null;
  const { id: stateId, challenge } = state;
  return { kind: "passkey", name, answer: answer.data, stateId, challenge, rp };
}

/** The new app in a form, for this user; null if its secret is too old or of another browser. */
export function readNewApp(
  deps: HalfWayDeps,
  ctx: Context<AppEnv>,
  userId: string,
): (NewFactor & { kind: "totp" }) | null {
  const form = ctx.get("form");
  const state = findState(toSealing(deps, ctx), newTotpState, form.get("state"));
  if (state?.userId !== userId) return null;
  const { secret } = state;
  return { kind: "totp", name: "App", secret, code: form.get("code") ?? "" };
}

/** A new secret for an app, sealed for the form that comes back. */
export function askNewApp(deps: HalfWayDeps, ctx: Context<AppEnv>, userId: string) {
  return sealApp(deps, ctx, { userId, secret: createTotpSecret() });
}

/** The same secret again, after a wrong code: the app has it already. */
export function sealApp(
  deps: HalfWayDeps,
  ctx: Context<AppEnv>,
  { userId, secret }: { userId: string; secret: string },
): { secret: string; state: string } {
  return { secret, state: sealState(toSealing(deps, ctx), newTotpState, { userId, secret }) };
}

function readName(form: URLSearchParams, fallback: string): string {
  const name = (form.get("name") ?? "").replaceAll(/\s+/g, " ").trim().slice(0, 60);
  return name === "" ? fallback : name;
}

/** What a form gives as the second factor; null for a passkey's answer that is not valid. */
export function readGivenFactor(deps: HalfWayDeps, ctx: Context<AppEnv>): GivenFactor | null {
  const form = ctx.get("form");
  if (form.has("signature")) return readPasskeyAnswer(deps, ctx);
  return { code: form.get("code") ?? "" };
}
