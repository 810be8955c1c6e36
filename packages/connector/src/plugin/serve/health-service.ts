import {
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";

type CheckRequest = { service: string };

const serving = { status: 1 };

/** `grpc.health.v1.Health`, which go-plugin uses for pings. */
export function createHealthService(): UntypedServiceImplementation {
  return {
    Check({ request }: ServerUnaryCall<CheckRequest, object>, answer: sendUnaryData<object>) {
      if (request.service === "" || request.service === "plugin") return answer(null, serving);
      answer({ code: status.NOT_FOUND, details: `There is no service "${request.service}".` });
    },
    /** Stays open, because the status does not change before the end. */
    Watch: (call: ServerWritableStream<CheckRequest, object>) => {
      call.write(serving);
    },
  };
}
