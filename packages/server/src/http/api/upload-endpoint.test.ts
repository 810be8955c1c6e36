import { expect, test } from "bun:test";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { createApiRequest, readEventData } from "../testing/api-request.ts";
import { defineUploadEndpoint } from "./upload-endpoint.ts";

type Progress = { phase: string };
type Work = (
  chunks: AsyncIterable<Uint8Array>,
  onProgress: (progress: Progress) => void,
) => Promise<{ bytes: number }>;

const define = (work: Work) =>
  defineUploadEndpoint({
    name: "upload",
    summary: "Upload",
    fileTypes: ["application/zip"],
    bytesMax: 10,
    answer: z.object({ bytes: z.number() }),
    handle: (_, chunks, onProgress: (progress: Progress) => void) => work(chunks, onProgress),
  });

const count = define(async (chunks, onProgress) => {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  onProgress({ phase: "one" });
  await null;
  onProgress({ phase: "two" });
  return { bytes };
});

const given = {
  bodyType: "application/zip",
  async *readFile() {
    yield new Uint8Array(3);
    yield new Uint8Array(4);
  },
};

test("A client without events waits for the answer, and its connection is released", async () => {
  const { req, holds } = createApiRequest(given);
  expect(await (await count.respond(req)).json()).toEqual({ bytes: 7 });
  expect(holds).toEqual({ begun: 1, ended: 1 });
});

test("A client with events gets every step after the file, then the result", async () => {
  const { req, holds } = createApiRequest({ ...given, wantsEvents: true });
  expect(await readEventData(await count.respond(req))).toEqual([
    { progress: { phase: "one" } },
    { progress: { phase: "two" } },
    { result: { bytes: 7 } },
  ]);
  expect(holds).toEqual({ begun: 1, ended: 1 });
});

test("A file that does not arrive is answered with the status of its failure", async () => {
  const { req, holds } = createApiRequest({
    ...given,
    wantsEvents: true,
    readFile: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new HubError("body_too_slow", "Too slow.")),
      }),
    }),
  });
  await expect(count.respond(req)).rejects.toMatchObject({ code: "body_too_slow" });
  expect(holds).toEqual({ begun: 0, ended: 0 });
});

test("A failure after the file is the last event", async () => {
  const refuse = define(async (_, onProgress) => {
    onProgress({ phase: "one" });
    throw new HubError("conflict", "It is there already.");
  });
  const { req } = createApiRequest({ ...given, wantsEvents: true });
  expect(await readEventData(await refuse.respond(req))).toEqual([
    { progress: { phase: "one" } },
    { error: "It is there already.", code: "conflict" },
  ]);
});

test.each([
  "",
  "text/plain",
  "multipart/form-data",
  "application/json",
])("A body of the type %j is refused before it is read", async (bodyType) => {
  let isRead = false;
  const { req } = createApiRequest({
    bodyType,
    async *readFile() {
      isRead = true;
      yield new Uint8Array();
    },
  });
  await expect(count.respond(req)).rejects.toMatchObject({ code: "unsupported_media_type" });
  expect(isRead).toBeFalse();
});

test("Nothing is done with a file if its sender's right ended before it had arrived", async () => {
  const gone = new HubError("unauthorized", "This token was revoked.");
  let isDone = false;
  const install = define(async (chunks, onProgress) => {
    for await (const _ of chunks);
    isDone = true;
    onProgress({ phase: "one" });
    return { bytes: 1 };
  });
  const { req } = createApiRequest({ ...given, checkRight: () => Promise.reject(gone) });
  await expect(install.respond(req)).rejects.toBe(gone);
  expect(isDone).toBeFalse();
});
