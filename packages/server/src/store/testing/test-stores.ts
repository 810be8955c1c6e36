import type { Store } from "../store.ts";

/** A separate store for one test, and more stores on the same data. */
export type TestStores = {
  store: Store;
  openAnother(): Promise<Store>;
  /** A failure with which the database asks to run a transaction again. */
  makeConflict(): unknown | Promise<unknown>;
  remove(): Promise<void>;
};
