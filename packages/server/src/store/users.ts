import type { Db, UserRole, UserStatus } from "./tables.ts";

export type User = {
  id: string;
  /** Lower case. */
  email: string;
  name: string;
  role: UserRole;
  status: UserStatus;
  /** In alphabetical order, without `everyone`, which every user has. */
  tags: string[];
  createdAt: number;
};

export type NewUser = {
  email: string;
  name: string;
  role: UserRole;
  status: UserStatus;
  tags: readonly string[];
};

export type UserChange = { name?: string; role?: UserRole; status?: UserStatus };

/** Throws `conflict` when the email is taken, in whatever case. */
export declare function insertUser(db: Db, user: NewUser): Promise<User>;
export declare function findUserById(db: Db, id: string): Promise<User | null>;
export declare function findUserByEmail(db: Db, email: string): Promise<User | null>;
/** By email. */
export declare function listUsers(db: Db): Promise<User[]>;
/** Null when there is no such user. */
export declare function updateUser(db: Db, id: string, change: UserChange): Promise<User | null>;
/** False when there is no such user. */
export declare function setUserTags(db: Db, id: string, names: readonly string[]): Promise<boolean>;
