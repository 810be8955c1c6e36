import { expect, test } from "bun:test";
import { readTraceSettings } from "./trace-settings.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

test("Without an endpoint, or if OpenTelemetry is disabled, nothing is recorded", () => {
  expect(readTraceSettings({})).toBeNull();
  expect(readTraceSettings({ OTEL_TRACES_SAMPLER: "wrong" })).toBeNull();
  expect(readTraceSettings({ ...endpoint, OTEL_SDK_DISABLED: "True" })).toBeNull();
  expect(readTraceSettings({ ...endpoint, OTEL_TRACES_EXPORTER: "none" })).toBeNull();
});

test("Spans go to a path below the endpoint, or to the endpoint of traces itself", () => {
  const urlOf = (env: Record<string, string>) => readTraceSettings(env)?.url;
  expect(urlOf(endpoint)).toBe("http://collector:4318/v1/traces");
  const below = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://otlp.example.com/team/" };
  expect(urlOf(below)).toBe("https://otlp.example.com/team/v1/traces");
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://other:4318/spans" };
  expect(urlOf({ ...endpoint, ...own })).toBe("http://other:4318/spans");
});

test("Variables of traces take precedence, and others have their defaults", () => {
  expect(readTraceSettings(endpoint)).toMatchObject({
    timeoutMs: 10_000,
    delayMs: 5_000,
    serviceName: "hub",
    resource: {},
    sampler: { root: "limited", isParentBased: true },
  });
  const given = readTraceSettings({
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "a=1",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-key=b%20c, d=e=f",
    OTEL_EXPORTER_OTLP_TIMEOUT: "1",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "2000",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=named,deployment.environment.name=test",
  });
  expect(given).toMatchObject({
    timeoutMs: 2000,
    serviceName: "named",
    resource: { "deployment.environment.name": "test" },
  });
  expect(given?.readHeaders()).toEqual({ "x-key": "b c", d: "e=f" });
  const named = readTraceSettings({ ...endpoint, OTEL_SERVICE_NAME: "own" });
  expect(named?.serviceName).toBe("own");
});

test("Printing the settings shows no header", () => {
  const settings = readTraceSettings({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "key=hunter2" });
  expect(Bun.inspect(settings) + JSON.stringify(settings)).not.toContain("hunter2");
});

test.each([
  ["always_on", { root: "always_on", ratio: 1, isParentBased: false }],
  ["always_off", { root: "always_off", ratio: 1, isParentBased: false }],
  ["traceidratio", { root: "ratio", ratio: 0.25, isParentBased: false }],
  ["parentbased_always_on", { root: "always_on", ratio: 1, isParentBased: true }],
  ["parentbased_always_off", { root: "always_off", ratio: 1, isParentBased: true }],
  ["parentbased_traceidratio", { root: "ratio", ratio: 0.25, isParentBased: true }],
] as const)("The sampler %s is known", (name, sampler) => {
  const env = { ...endpoint, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: "0.25" };
  expect(readTraceSettings(env)?.sampler).toEqual(sampler);
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://collector"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://ada:hunter2@collector"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "key=%zz"],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "0"],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "soon"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_TRACES_SAMPLER", "parentbased_limited"],
  ["OTEL_RESOURCE_ATTRIBUTES", "=test"],
  ["OTEL_BSP_SCHEDULE_DELAY", "-1"],
])("A wrong %s (%s) is refused by its name, without its value", (name, value) => {
  const read = () => readTraceSettings({ ...endpoint, [name]: value });
  expect(read).toThrow(name);
  expect(read).not.toThrow(value);
});

test.each(["1.5", "-1", "much"])("A sampler's ratio of %s is refused", (ratio) => {
  const sampler = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: ratio };
  expect(() => readTraceSettings({ ...endpoint, ...sampler })).toThrow("OTEL_TRACES_SAMPLER_ARG");
});
