import { HubError } from "../../errors.ts";

/** How spans are recorded and where they are sent, from the standard variables of OpenTelemetry. */
export type TraceSettings = {
  /** Without credentials. */
  url: string;
  /** OTEL_EXPORTER_OTLP_HEADERS are secrets; a function, so that printing cannot show them. */
  readHeaders(): Record<string, string>;
  timeoutMs: number;
  sampler: SamplerChoice;
  /** Waiting time until spans are sent. */
  delayMs: number;
  serviceName: string;
  /** Further attributes of the resource. */
  resource: Record<string, string>;
};

/** `limited` is the hub's own: every trace, up to a number per second. */
export type SamplerChoice = {
  root: "limited" | "always_on" | "always_off" | "ratio";
  /** Of new traces, for `ratio`. */
  ratio: number;
  /** Whether the decision of the caller's trace is followed. */
  isParentBased: boolean;
};

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings. Null if no endpoint is set or OpenTelemetry is disabled. Throws
 * `bad_configuration` for an invalid value.
 */
export function readTraceSettings(env: Env): TraceSettings | null {
  const read = (name: string) => env[name]?.trim() || null;
  const readOfTraces = (name: string) =>
    read(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? read(`OTEL_EXPORTER_OTLP_${name}`);
  const url = findUrl(read);
  const isDisabled =
    read("OTEL_SDK_DISABLED")?.toLowerCase() === "true" || read("OTEL_TRACES_EXPORTER") === "none";
  if (url === null || isDisabled) return null;
  checkProtocol(readOfTraces("PROTOCOL"));
  const headers = readPairs("OTEL_EXPORTER_OTLP_HEADERS", readOfTraces("HEADERS"));
  const { "service.name": named, ...resource } = readPairs(
    "OTEL_RESOURCE_ATTRIBUTES",
    read("OTEL_RESOURCE_ATTRIBUTES"),
  );
  return {
    url,
    readHeaders: () => ({ ...headers }),
    timeoutMs: readNumber("OTEL_EXPORTER_OTLP_TIMEOUT", readOfTraces("TIMEOUT"), 10_000),
    sampler: readSampler(read("OTEL_TRACES_SAMPLER"), read("OTEL_TRACES_SAMPLER_ARG")),
    delayMs: readNumber("OTEL_BSP_SCHEDULE_DELAY", read("OTEL_BSP_SCHEDULE_DELAY"), 5_000),
    serviceName: read("OTEL_SERVICE_NAME") ?? named ?? "hub",
    resource,
  };
}

function findUrl(read: (name: string) => string | null): string | null {
  const own = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const name = own === null ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  const text = own ?? read(name);
  if (text === null) return null;
  const url = URL.parse(text);
  // The value is not repeated: it may contain a credential.
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.username}${url.password}` !== "") {
    throw refuse(
      `${name} must be an http or https address without a user name and password, such as http://localhost:4318. Send credentials by OTEL_EXPORTER_OTLP_HEADERS.`,
    );
  }
  // The general endpoint is a base, the one of traces is complete.
  if (own === null) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

function checkProtocol(protocol: string | null): void {
  if (protocol === null || protocol === "http/protobuf") return;
  throw refuse(
    "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf: the hub sends traces in no other form.",
  );
}

function readSampler(name: string | null, argument: string | null): SamplerChoice {
  const isParentBased = name === null || name.startsWith("parentbased_");
  const toChoice = (root: SamplerChoice["root"], ratio = 1) => ({ root, ratio, isParentBased });
  switch (name?.replace(/^parentbased_/, "")) {
    case undefined:
      return toChoice("limited");
    case "always_on":
      return toChoice("always_on");
    case "always_off":
      return toChoice("always_off");
    case "traceidratio":
      return toChoice("ratio", readRatio(argument));
    default:
      throw refuse(
        "OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of them after parentbased_.",
      );
  }
}

function readRatio(text: string | null): number {
  const ratio = Number(text ?? "1");
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw refuse("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.");
}

function readNumber(name: string, text: string | null, fallback: number): number {
  if (text === null) return fallback;
  if (/^\d{1,7}$/.test(text) && Number(text) > 0) return Number(text);
  throw refuse(`${name} must be a number of milliseconds from 1 to 9999999.`);
}

/** `key1=value1,key2=value2`, percent-encoded as in the header `baggage`. */
function readPairs(name: string, text: string | null): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of (text ?? "").split(",")) {
    if (part.trim() === "") continue;
    const [key = "", ...rest] = part.split("=");
    const value = decode(rest.join("=").trim());
    if (key.trim() === "" || rest.length === 0 || value === null) {
      throw refuse(`${name} must be a comma-separated list of key=value.`);
    }
    pairs[key.trim()] = value;
  }
  return pairs;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function refuse(message: string): HubError {
  return new HubError("bad_configuration", message);
}
