import type { z } from "zod";
import { HubError } from "../../errors.ts";
import type { ApiCall, ApiRequest } from "./api-request.ts";
import { checkAnswer, type Described, describe, type Endpoint } from "./endpoint.ts";
import { answerLong, longAnswerTypes } from "./progress-endpoint.ts";
import { type nothingSchema, readCall } from "./read-call.ts";

type UploadSpec<Query extends z.ZodObject, Answer extends z.ZodType, Progress> = Described<
  typeof nothingSchema,
  Query,
  z.ZodUndefined,
  Answer
> & {
  /** None of those that pages of other sites may send without a CORS preflight. */
  fileTypes: readonly string[];
  bytesMax: number;
  /** Reads the whole file before its first call of `onProgress`. */
  handle(
    call: ApiCall<Record<string, never>, z.output<Query>, undefined>,
    chunks: AsyncIterable<Uint8Array>,
    onProgress: (progress: Progress) => void,
  ): Promise<z.input<Answer>>;
};

/**
 * Defines an endpoint that takes a file as the body. The guard comes first, and the file is read in
 * portions. The answer begins when the file has arrived, with the events of a progress endpoint if the
 * client accepts them: browsers and proxies do not read an answer while they send.
 */
export function defineUploadEndpoint<
  Answer extends z.ZodType,
  Progress,
  Query extends z.ZodObject = typeof nothingSchema,
>(spec: UploadSpec<Query, Answer, Progress>): Endpoint {
  return {
    ...describe(spec, 200, longAnswerTypes),
    fileTypes: spec.fileTypes,
    async respond(req) {
      const call = (await readCall(spec, req)) as Parameters<typeof spec.handle>[0];
      checkFileType(spec.fileTypes, req.bodyType);
      const endCount = req.countStream();
      const arrived = Promise.withResolvers<void>();
      const early: Progress[] = [];
      let report = (progress: Progress): void => void early.push(progress);
      const work = spec
        .handle(call, readChecked(req, spec.bytesMax), (progress) => {
          report(progress);
          arrived.resolve();
        })
        .then((value) => checkAnswer(spec.answer, value))
        .finally(endCount);
      // A file that does not arrive is answered like any other failure.
      await Promise.race([arrived.promise, work]);
      const release = req.holdOpen();
      const answer = (onProgress: (progress: Progress) => void) => {
        for (const progress of early) onProgress(progress);
        report = onProgress;
        return work;
      };
      return await answerLong(req, answer, release);
    },
  };
}

/** A file may take minutes. At its end the caller is checked again, before anything is done with it. */
async function* readChecked(req: ApiRequest, bytesMax: number): AsyncGenerator<Uint8Array> {
  yield* req.readFile(bytesMax);
  await req.checkRight();
}

function checkFileType(types: readonly string[], type: string): void {
  if (types.includes(type)) return;
  throw new HubError(
    "unsupported_media_type",
    `Send the file as the body, with one of these as Content-Type: ${types.join(", ")}.`,
  );
}
