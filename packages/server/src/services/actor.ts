import { localAdmin } from "../identity/local-admin.ts";

/** Who makes a change, and from where: what the record of changes says of them. */
export type Actor = {
  userId: string;
  email: string;
  tokenId: string | null;
  via: "session" | "token" | "command line";
  ip: string | null;
};

/** Whoever uses the command line can read the data folder, and rules the hub anyway. */
export const commandLineActor: Actor = {
  userId: localAdmin.userId,
  email: localAdmin.email,
  tokenId: null,
  via: "command line",
  ip: null,
};
