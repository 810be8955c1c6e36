import type { Span, SpanSpec, Tracing } from "../tracing.ts";

export type RecordedSpan = SpanSpec & {
  set: Record<string, string | number>;
  failure: { code: string; message: string | undefined } | null;
  hasEnded: boolean;
};

/** Tracing that keeps its spans in memory. */
export function recordSpans(traceparent = "00-test") {
  const spans: RecordedSpan[] = [];
  const admitted: string[] = [];
  async function run<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T> {
    const recorded: RecordedSpan = { ...spec, set: {}, failure: null, hasEnded: false };
    spans.push(recorded);
    const span: Span = {
      context: { traceparent },
      set: (attributes) => void Object.assign(recorded.set, attributes),
      fail(code, message) {
        recorded.failure = { code, message };
      },
    };
    try {
      return await work(span);
    } finally {
      recorded.hasEnded = true;
    }
  }
  const tracing: Tracing = {
    mayRecord: () => true,
    request: async (_request, work) => (await work()).response,
    isActive: () => true,
    admit: (userId) => void admitted.push(userId),
    call: (spec, _parent, work) => run(spec, work),
    span: run,
    addQuery: () => {},
    counts: () => ({ exported: 0, dropped: 0, failed: 0 }),
    close: async () => {},
  };
  return { tracing, spans, admitted };
}
