import { HubError } from "../../errors.ts";
import { packageFolder } from "../files/package-folder.ts";
import { describeMissing } from "./describe-missing.ts";

/**
 * OpenTelemetry's SDK, which is an optional package. Loading this module throws `bad_configuration` with the command that
 * installs it if it is missing.
 */
export const telemetrySdk = await loadSdk();

async function loadSdk() {
  // In a `try`, so that bundlers accept that the packages are missing.
  try {
    const { ExportResultCode, setGlobalErrorHandler, W3CTraceContextPropagator } = await import(
      "@opentelemetry/core"
    );
    const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
    const { resourceFromAttributes } = await import("@opentelemetry/resources");
    const trace = await import("@opentelemetry/sdk-trace");
    const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } =
      trace;
    const { BatchSpanProcessor, TracerProvider } = trace;
    return {
      ExportResultCode,
      setGlobalErrorHandler,
      W3CTraceContextPropagator,
      OTLPTraceExporter,
      resourceFromAttributes,
      BatchSpanProcessor,
      TracerProvider,
      AlwaysOffSampler,
      AlwaysOnSampler,
      ParentBasedSampler,
      TraceIdRatioBasedSampler,
    };
  } catch (cause) {
    if (Object(cause).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new HubError("bad_configuration", describeMissing(packageFolder), { cause });
  }
}
