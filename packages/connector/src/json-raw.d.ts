/** Part of ES2026 that TypeScript's library does not declare yet. */
interface JSON {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
}

/** A JSON number that keeps its original digits. */
interface RawJson {
  readonly rawJSON: string;
}
