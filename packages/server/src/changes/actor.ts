/** Who makes a change, and over which interface. The record of changes keeps both. */
export type Actor = {
  userId: string;
  email: string;
  tokenId: string | null;
  via: "session" | "token" | "command line" | "chat" | "client" | "scim" | "hub";
  ip: string | null;
  /** When the user of a session last proved who they are, epoch ms. Absent for other doors. */
  freshAt?: number;
};
