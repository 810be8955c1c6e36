import { findMissing } from "@hub/connector";
import { findPublisher, listBoundAddresses } from "../../connectors/accounts/bound-addresses.ts";
import { findAccountKind, listPersonalFields } from "../../connectors/accounts/personal-fields.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { checkRowOwner } from "../../connectors/rows/row-owner.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import { HubError } from "../../errors.ts";
import { toBadRequest } from "../../lib/input/check-input.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toAccountLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { AccountSecret, UserAccount } from "../../store/accounts/user-account.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { toFieldTexts } from "../rows/row-values.ts";

const valueCharsMax = 64 * 1024;

/** The texts of the row's personal fields. Throws `bad_request` for others, and for a required one without a value. */
export function toAccountValues(
  connector: RegisteredConnector,
  row: RowRecord,
  given: Record<string, unknown>,
): Record<string, string> {
  checkRowOwner(row, connector);
  const kind = findAccountKind(connector, row);
  if (kind === null) {
    throw new HubError("conflict", `"${row.label}" does not use accounts of its users.`);
  }
  if (kind === "oauth") {
    throw new HubError("conflict", `An account in "${row.label}" is connected by a sign-in.`);
  }
  const texts = toPlainTexts(row);
  const fields = listPersonalFields(connector, texts);
  const values = Object.fromEntries(
    [...toFieldTexts(fields, given)].filter(([, text]) => text !== ""),
  );
  const tooLong = Object.entries(values).find(([, text]) => text.length > valueCharsMax);
  if (tooLong !== undefined) {
    throw toBadRequest([
      { path: tooLong[0], message: `has more than ${valueCharsMax} characters` },
    ]);
  }
  // The others decide which of them are shown.
  const all = { ...Object.fromEntries(texts), ...values };
  const missing = findMissing(connector.configFields, all).filter((field) => field.personal);
  const unset = missing.filter(({ key }) => values[key] === undefined);
  if (unset.length === 0) return values;
  throw toBadRequest(unset.map(({ key }) => ({ path: key, message: "is required" })));
}

/** The account's values, sealed for it alone. */
export function sealFor(
  owner: Pick<UserAccount, "id" | "userId" | "rowId">,
  values: Record<string, string>,
) {
  return (ring: KeyRing) => sealAtRest(ring, toAccountLocation(owner), JSON.stringify({ values }));
}

/** What is stored of an account whose values its user typed. It is bound to where the row leads now. */
export function toSecret(
  connector: RegisteredConnector,
  row: RowRecord,
  { sealed, tokensId }: Pick<UserAccount, "sealed" | "tokensId">,
): AccountSecret {
  return {
    sealed,
    tokensId,
    hosts: listBoundAddresses(connector, toPlainTexts(row)),
    publisher: findPublisher(connector),
    scope: null,
    expiresAt: null,
    renewAt: null,
  };
}
