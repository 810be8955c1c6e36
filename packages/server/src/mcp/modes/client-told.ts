import { isJsonObject } from "@hub/connector";
import type { ClientTold } from "../../operations/operations.ts";
import type { Params } from "../frames/frame.ts";
import {
  isSessionVersion,
  metaKeys,
  sessionVersions,
  tasksExtension,
} from "./protocol-versions.ts";

const nameCharsMax = 100;

/** What a request of the stateless mode declares. Nothing is kept from one request to the next. */
export function readStatelessClient(meta: Params): ClientTold {
  const capabilities = meta[metaKeys.clientCapabilities];
  return readClient("stateless", capabilities, meta[metaKeys.clientInfo]);
}

/**
 * What `initialize` declares, without what the version of the session does not have: forms came with 2025-06-18, and
 * pages with 2025-11-25. It is kept with the session, so it has no part whose size is the client's.
 */
export function readSessionClient({
  protocolVersion,
  capabilities,
  clientInfo,
}: Params): ClientTold {
  const client = readClient("session", capabilities, clientInfo);
  const version =
    typeof protocolVersion === "string" && isSessionVersion(protocolVersion)
      ? protocolVersion
      : sessionVersions[0];
  const { form, url } = client.elicitation;
  return {
    ...client,
    elicitation: { form: form && version >= "2025-06-18", url: url && version >= "2025-11-25" },
  };
}

function readClient(mode: ClientTold["mode"], declared: unknown, info: unknown): ClientTold {
  const capabilities = toObject(declared);
  const { name, version } = toObject(info);
  return {
    mode,
    name: toText(name),
    version: toText(version),
    elicitation: readElicitation(capabilities.elicitation),
    sampling: isJsonObject(capabilities.sampling),
    roots: isJsonObject(capabilities.roots),
    tasks: isJsonObject(toObject(capabilities.extensions)[tasksExtension]),
  };
}

/** An empty object declares forms only, as it did before there were pages. */
function readElicitation(declared: unknown): ClientTold["elicitation"] {
  if (!isJsonObject(declared)) return { form: false, url: false };
  const url = isJsonObject(declared.url);
  return { form: isJsonObject(declared.form) || !url, url };
}

function toObject(value: unknown): Params {
  return isJsonObject(value) ? value : {};
}

/** A copy, because a part of a text holds the whole of it in memory, and a session keeps it for a day. */
function toText(value: unknown): string | null {
  return typeof value === "string" ? Buffer.from(value.slice(0, nameCharsMax)).toString() : null;
}
