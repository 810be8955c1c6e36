/** What the Bot API answers when it refuses a call. */
export class ApiError extends Error {
  readonly code: number;
  readonly parameters: { retry_after?: number; migrate_to_chat_id?: number } | undefined;

  constructor(code: number, description: string, parameters?: ApiError["parameters"]) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }

  toResponse(): Response {
    const { code, message: description, parameters } = this;
    return Response.json(
      { ok: false, error_code: code, description, ...(parameters && { parameters }) },
      { status: code },
    );
  }
}

export const badRequest = (text: string) => new ApiError(400, `Bad Request: ${text}`);
export const forbidden = (text: string) => new ApiError(403, `Forbidden: ${text}`);
export const conflict = (text: string) => new ApiError(409, `Conflict: ${text}`);
export const unauthorized = () => new ApiError(401, "Unauthorized");
export const notFound = () => new ApiError(404, "Not Found");

export const tooManyRequests = (retryAfterS: number) =>
  new ApiError(429, `Too Many Requests: retry after ${retryAfterS}`, { retry_after: retryAfterS });
