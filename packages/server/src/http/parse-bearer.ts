/** Longer than any token that the hub gives out: not worth a look at the database. */
const tokenCharsMax = 200;

export type Bearer = {
  /** A token came with the request, valid or not. */
  isSent: boolean;
  /** Null where none came, and for one that is too long. */
  token: string | null;
};

/** The token of an Authorization header. */
export function parseBearer(header: string | undefined): Bearer {
  const token = header?.match(/^bearer +(\S+) *$/i)?.[1];
  if (token === undefined) return { isSent: false, token: null };
  return { isSent: true, token: token.length <= tokenCharsMax ? token : null };
}
