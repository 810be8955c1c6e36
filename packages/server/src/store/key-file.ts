/** The keys, sealing key first, or null when there is no key file. Refuses a file that others can read. */
export declare function readKeyFile(dataDir: string): Promise<Uint8Array[] | null>;
/** Makes a key file with one random key; when another process was faster, returns that one's keys. */
export declare function createKeyFile(dataDir: string): Promise<Uint8Array[]>;
/** Replaces the keys in one step: a crash leaves the old file or the new one. */
export declare function writeKeyFile(dataDir: string, keys: readonly Uint8Array[]): Promise<void>;
