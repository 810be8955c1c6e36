/** Longer than every token of the hub, so the database is not queried. */
const tokenCharsMax = 200;

export type Bearer = {
  /** Whether the request had a token, valid or not. */
  isSent: boolean;
  /** Null if there was none, or if it is too long. */
  token: string | null;
};

/** The token of an Authorization header. */
export function parseBearer(header: string | null | undefined): Bearer {
  const token = header?.match(/^bearer +(\S+) *$/i)?.[1];
  if (token === undefined) return { isSent: false, token: null };
  return { isSent: true, token: token.length <= tokenCharsMax ? token : null };
}
