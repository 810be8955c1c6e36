/** Who makes a change, and by which way in: the record of changes keeps both. */
export type Actor = {
  userId: string;
  email: string;
  tokenId: string | null;
  via: "session" | "token" | "command line";
  ip: string | null;
};
