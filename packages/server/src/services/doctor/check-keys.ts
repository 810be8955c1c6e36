import { formatKeyId } from "../../secrets/keys/key-ring.ts";
import { findKeyOrigin } from "../keys/manage-keys.ts";
import { countSealedValues, type LostSecret, listLostSecrets } from "../keys/reseal-values.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

export async function checkKeys({ config, store, ring }: DoctorDeps): Promise<Check> {
  const { keys, sealing } = await ring.reload();
  const counts = await countSealedValues(store.db);
  const lost = [...counts].filter(([id]) => !keys.has(id));
  if (lost.length > 0) {
    const names = lost.map(([id]) => formatKeyId(id)).join(", ");
    const secrets = formatLostSecrets(await listLostSecrets(store.db, keys));
    return toCheck(
      "keys",
      "fail",
      `Stored secrets need keys that are missing: ${names}. ${advise(secrets)}`,
    );
  }
  const place = findKeyOrigin(config) === "file" ? "the key file (mode 0600)" : "HUB_ENC_KEY";
  const count = keys.size === 1 ? "1 key" : `${keys.size} keys`;
  const message = `${count} in ${place}; new secrets are encrypted with ${formatKeyId(sealing.id)}`;
  return toCheck("keys", "ok", message);
}

/** Calls that wait for a person need keys too, and are asked about again without them. */
function advise(secrets: string): string {
  if (secrets === "") return "Restore these keys, or make the calls again that wait for a person.";
  return `Restore these keys, or set the secrets again: ${secrets}.`;
}

const namedSecretsMax = 20;

function formatLostSecrets(secrets: readonly LostSecret[]): string {
  const named = secrets
    .slice(0, namedSecretsMax)
    .map(({ kind, label, key }) => `${key} of ${kind === "Row" ? "" : "the workflow "}"${label}"`);
  const more = secrets.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function checkMasking({ config }: DoctorDeps): Check {
  if (config.encDisable) {
    const message =
      "HUB_ENC_DISABLE is set: secrets are not masked in results and in recorded calls.";
    return toCheck("masking", "warn", message);
  }
  const message = "secrets are replaced by tokens in results and recorded calls";
  if (config.rowTokens === "bound") return toCheck("masking", "ok", message);
  return toCheck(
    "masking",
    "warn",
    `${message}, but HUB_ROW_TOKENS is user: callers can read the secrets of rows that echo them.`,
  );
}
