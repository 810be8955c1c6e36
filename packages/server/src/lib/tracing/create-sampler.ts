import type { Sampler } from "@opentelemetry/sdk-trace";
import { telemetrySdk } from "./telemetry-sdk.ts";
import type { SamplerChoice } from "./trace-settings.ts";

const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } =
  telemetrySdk;

/** `createNewTraces` decides which traces begin. Without `parentbased_`, the sampler decides for all. */
export function createSampler({ root, ratio, isParentBased }: SamplerChoice): Sampler {
  if (isParentBased) return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  switch (root) {
    case "limited":
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "ratio":
      return new TraceIdRatioBasedSampler(ratio);
  }
}
