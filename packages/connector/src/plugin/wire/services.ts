import type { ServiceDefinition } from "@grpc/grpc-js";
import type { Reader, Root, Type } from "protobufjs";
import connectorProto from "./connector.proto" with { type: "text" };
import { checkFields, fieldsMax } from "./count-fields.ts";
import goPluginProto from "./go-plugin.proto" with { type: "text" };
import healthProto from "./health.proto" with { type: "text" };

/** The maximum message size in both directions. */
export const messageBytesMax = 64 * 1024 * 1024;

/** The maximum text in one message of a stream. Results are split into parts of this size. */
export const dataBytesMax = 64 * 1024;

/**
 * The part of a result that may be in transit on a shared stream before the host grants more
 * credit.
 */
export const windowBytes = 256 * 1024;

/** The services of a plugin, for grpc-js on both sides. */
export type PluginServices = {
  connector: ServiceDefinition;
  controller: ServiceDefinition;
  stdio: ServiceDefinition;
  health: ServiceDefinition;
};

/** The library is loaded here, so that importing this file costs nothing. */
export async function createServices(): Promise<PluginServices> {
  const { default: protobuf } = await import("protobufjs");
  const root = new protobuf.Root();
  for (const text of [connectorProto, goPluginProto, healthProto]) protobuf.parse(text, root);
  root.resolveAll();
  return {
    connector: toDefinition(protobuf.Reader, root, "wick.connector.v1.Connector"),
    controller: toDefinition(protobuf.Reader, root, "plugin.GRPCController"),
    stdio: toDefinition(protobuf.Reader, root, "plugin.GRPCStdio"),
    health: toDefinition(protobuf.Reader, root, "grpc.health.v1.Health"),
  };
}

type Readers = { create(bytes: Buffer): Reader };

function toDefinition(readers: Readers, root: Root, name: string): ServiceDefinition {
  const service = root.lookupService(name);
  const methods = service.methodsArray.map((method) => {
    const request = createCodec(readers, service.lookupType(method.requestType));
    const response = createCodec(readers, service.lookupType(method.responseType));
    return [
      method.name,
      {
        path: `/${name}/${method.name}`,
        requestStream: method.requestStream ?? false,
        responseStream: method.responseStream ?? false,
        requestSerialize: request.serialize,
        requestDeserialize: request.deserialize,
        responseSerialize: response.serialize,
        responseDeserialize: response.deserialize,
      },
    ] as const;
  });
  return Object.fromEntries(methods);
}

function createCodec(readers: Readers, type: Type) {
  return {
    serialize(value: object): Buffer {
      const bytes = type.encode(type.create(value)).finish();
      // The writer's memory is used without a copy, because a result may be large.
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    deserialize(bytes: Buffer): object {
      // Each has two bytes at least.
      if (bytes.length > 2 * fieldsMax) checkFields(readers.create(bytes), type);
      return type.toObject(type.decode(bytes), { defaults: true, arrays: true, objects: true });
    },
  };
}
