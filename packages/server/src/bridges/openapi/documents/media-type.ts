/** The type without its parameters. */
export function toMediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

export function isJsonType(mediaType: string): boolean {
  return (
    mediaType === "application/json" || mediaType === "text/json" || mediaType.endsWith("+json")
  );
}
