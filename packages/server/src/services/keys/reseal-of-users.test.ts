import { expect, onTestFinished, test } from "bun:test";
import { findKeyId, openAtRest, sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toFactorLocation, toProviderLocation } from "../../secrets/at-rest/secret-locations.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { transaction } from "../../store/database/database.ts";
import { newUser } from "../../store/test-data.ts";
import {
  listSealedProviderTokens,
  putProviderSession,
} from "../../store/users/provider-sessions-table.ts";
import { insertTotpFactor, listSealedFactors } from "../../store/users/second-factors-table.ts";
import { insertUser } from "../../store/users/users-table.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import {
  countSealedValues,
  listLostSecrets,
  replaceSealed,
  resealValues,
} from "./reseal-values.ts";

test("The secrets of apps for codes are sealed again with a new key, counted, and named when their key is lost", async () => {
  const hub = await openTestServices();
  onTestFinished(hub.close);
  const { db } = hub.deps.store;
  const [before, after] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const old = createKeyRing([before]);
  const both = createKeyRing([after, before]);
  const { id: userId } = await insertUser(db, newUser({ email: "ada@example.com" }));
  const id = crypto.randomUUID();
  const location = toFactorLocation({ id, userId });
  const base = { id, userId, kind: "totp", name: "App", createdAt: 1, lastUsedAt: null } as const;
  await insertTotpFactor(db, { ...base, sealed: sealAtRest(old, location, "s"), lastStep: 1 });
  expect((await countSealedValues(db)).get(old.sealing.id)).toBe(1);
  const lost = await listLostSecrets(db, createKeyRing([after]).keys);
  expect(lost).toEqual([{ kind: "Second factor of", label: "ada@example.com", key: "totp" }]);
  const resealed = await resealValues(db, both);
  expect(await transaction(db, (trx) => replaceSealed(trx, resealed, 2))).toBe(1);
  const [factor] = await listSealedFactors(db);
  const sealed = factor?.sealed ?? new Uint8Array();
  expect(findKeyId(sealed)).toBe(both.sealing.id);
  expect(openAtRest(createKeyRing([after]), location, sealed)).toBe("s");
});

test("The refresh tokens of single sign-on are sealed again with a new key, and named when their key is lost", async () => {
  const hub = await openTestServices();
  onTestFinished(hub.close);
  const { db } = hub.deps.store;
  const [before, after] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const old = createKeyRing([before]);
  const { id: userId } = await insertUser(db, newUser({ email: "ada@example.com" }));
  const person = { issuer: "https://id.example", subject: "s1" };
  const location = toProviderLocation(person);
  const times = { readAt: 1, nextAt: 1, failedSince: null, failure: null, endedAt: null };
  const tokens = { sealed: sealAtRest(old, location, "refresh"), tokensId: crypto.randomUUID() };
  const session = { userId, ...person, sid: null, ...tokens, ...times, refusesTokens: false };
  await transaction(db, (trx) => putProviderSession(trx, session));
  expect((await countSealedValues(db)).get(old.sealing.id)).toBe(1);
  const lost = await listLostSecrets(db, createKeyRing([after]).keys);
  expect(lost).toEqual([
    { kind: "Single sign-on of", label: "ada@example.com", key: "refresh_token" },
  ]);
  const resealed = await resealValues(db, createKeyRing([after, before]));
  expect(await transaction(db, (trx) => replaceSealed(trx, resealed, 2))).toBe(1);
  const [token] = await listSealedProviderTokens(db);
  const sealed = token?.sealed ?? new Uint8Array();
  expect(openAtRest(createKeyRing([after]), location, sealed)).toBe("refresh");
});
