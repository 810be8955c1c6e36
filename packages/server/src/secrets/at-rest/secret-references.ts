import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { toBytesText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { ManagedSecrets } from "../sources/managed-secrets.ts";

/** Secrets that are kept outside the hub: variables of its process, and the files of one folder. */
export type SecretReferences = {
  /**
   * The secret as it is now, without the line break at the end of a file. Throws `bad_configuration` with a
   * sentence if there is none.
   */
  read(reference: string): string;
  /** Those in secret managers. Absent in processes that send no calls. */
  managed?: ManagedSecrets;
};

type Sources = {
  /** The variables whose names begin with `HUB_SECRET_`. */
  readVariable(name: string): string | undefined;
  /** HUB_SECRETS_DIR, absolute; null if it is not set. */
  folder: string | null;
};

const variablePattern = /^env:(HUB_SECRET_\w+)$/;
/** A name, not a path. Names of links such as Kubernetes' `..data` are left out, too. */
const filePattern = /^secret:([A-Za-z0-9_][\w.-]*)$/;
/** A secret is shorter. */
const bytesMax = 64 * 1024;

/** Whether a text has the form of a reference, such as `env:HUB_SECRET_TRACKER` or `secret:tracker-token`. */
export function isReferenceText(text: string): boolean {
  return variablePattern.test(text) || filePattern.test(text);
}

/** For processes without secrets outside the hub. */
export const noSecretReferences = createSecretReferences({
  readVariable: () => undefined,
  folder: null,
});

export function createSecretReferences({ readVariable, folder }: Sources): SecretReferences {
  return {
    read(reference) {
      const [, variable] = variablePattern.exec(reference) ?? [];
      if (variable !== undefined)
        return readVariable(variable) || fail(`the variable ${variable} is not set`);
      const [, name] = filePattern.exec(reference) ?? [];
      if (name === undefined) throw new Error("The stored reference has an unknown form.");
      if (folder === null) return fail(`HUB_SECRETS_DIR is not set, so there is no file ${name}`);
      return readSecret(folder, name);
    },
  };
}

function readSecret(folder: string, name: string): string {
  let path: string;
  let text: string;
  try {
    path = realpathSync(join(folder, name));
    // Files of Kubernetes are links to files below the same folder.
    if (!path.startsWith(`${realpathSync(folder)}${sep}`)) {
      return fail(`the file ${name} is a link to a place outside HUB_SECRETS_DIR`);
    }
    const stats = statSync(path);
    if (!stats.isFile()) return fail(`${name} in HUB_SECRETS_DIR is not a file`);
    if (stats.size > bytesMax)
      return fail(`the file ${name} has more than ${toBytesText(bytesMax)}`);
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable";
    return fail(`the file ${name} in HUB_SECRETS_DIR cannot be read (${code})`);
  }
  return text.replace(/\r?\n$/, "") || fail(`the file ${name} in HUB_SECRETS_DIR is empty`);
}

function fail(reason: string): never {
  throw new HubError(
    "bad_configuration",
    `A secret of this row is kept outside the hub, and ${reason}. An admin can put it there, or set a value.`,
  );
}
