/**
 * The thread that reads an OpenAPI document: parsing takes seconds for a large one. It has no keys
 * and no access to the database or the network.
 */

import { doDocumentJob } from "./do-document-job.ts";
import type { DocumentJob } from "./document-job.ts";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<DocumentJob>) =>
  doDocumentJob(data, (message) => postMessage(message));
