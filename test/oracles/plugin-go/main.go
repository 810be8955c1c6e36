// An independent plugin with HashiCorp's go-plugin, wick.connector.v1, application version 1.
// Under the name "classic" it behaves like plugins of version 1 (classic.go).
// With "host FOLDER OPERATION ARGS CREDS" it is a host (host.go).
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

//go:embed connector.proto
var protoText string

//go:embed module.json
var gopherJSON []byte

//go:embed classic.json
var classicJSON []byte

// The name of the program selects the plugin, so that one build serves both.
var isClassic = strings.HasPrefix(filepath.Base(os.Args[0]), "classic")

func moduleJSON() []byte {
	if isClassic {
		return classicJSON
	}
	return gopherJSON
}

var handshake = plugin.HandshakeConfig{
	ProtocolVersion:  1,
	MagicCookieKey:   "WICK_CONNECTOR_PLUGIN",
	MagicCookieValue: "b3f1c2a4-wick-connector-grpc",
}

var service = loadService()

func loadService() protoreflect.ServiceDescriptor {
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"connector.proto": protoText}),
	}}
	files, err := compiler.Compile(context.Background(), "connector.proto")
	if err != nil {
		panic(err)
	}
	return files[0].Services().ByName("Connector")
}

func newMessage(name string) *dynamicpb.Message {
	return dynamicpb.NewMessage(service.ParentFile().Messages().ByName(protoreflect.Name(name)))
}

func field(m protoreflect.Message, name string) protoreflect.FieldDescriptor {
	return m.Descriptor().Fields().ByName(protoreflect.Name(name))
}

func bytesOf(m *dynamicpb.Message, name string) []byte { return m.Get(field(m, name)).Bytes() }

func set(m *dynamicpb.Message, name string, value any) {
	m.Set(field(m, name), protoreflect.ValueOf(value))
}

func newError(code, message string) protoreflect.Message {
	e := newMessage("Error")
	set(e, "code", code)
	set(e, "message", message)
	return e
}

type connectorPlugin struct{ plugin.NetRPCUnsupportedPlugin }

func (connectorPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: string(service.FullName()),
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			{MethodName: "Schema", Handler: handleSchema},
			{MethodName: "Health", Handler: handleHealth},
		},
		Streams: []grpc.StreamDesc{
			{StreamName: "ExecuteStream", Handler: handleExecuteStream, ServerStreams: true},
		},
	}, nil)
	return nil
}

func (connectorPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}

func handleSchema(_ any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	if err := dec(newMessage("SchemaRequest")); err != nil {
		return nil, err
	}
	answer := newMessage("SchemaResponse")
	set(answer, "manifest_json", moduleJSON())
	return answer, nil
}

func handleHealth(_ any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	if err := dec(newMessage("HealthRequest")); err != nil {
		return nil, err
	}
	answer := newMessage("HealthResponse")
	set(answer, "healthy", true)
	return answer, nil
}

var log = hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: os.Stderr, JSONFormat: true})

func handleExecuteStream(_ any, stream grpc.ServerStream) error {
	request := newMessage("ExecuteRequest")
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	operation := request.Get(field(request, "operation")).String()
	var args map[string]string
	if err := json.Unmarshal(bytesOf(request, "args_json"), &args); err != nil {
		return sendError(stream, "bad_args", err.Error())
	}
	creds := map[string]string{}
	request.Get(field(request, "creds")).Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		creds[k.String()] = v.String()
		return true
	})
	if isClassic {
		result, err := runClassic(operation, args, creds)
		if err != nil {
			return sendError(stream, "exec_error", err.Error())
		}
		return sendResult(stream, result)
	}
	switch operation {
	case "echo":
		return sendResult(stream, map[string]any{"args": args, "creds": creds})
	case "large":
		return sendResult(stream, strings.Repeat("x", 3_000_000))
	case "look_around":
		return sendResult(stream, map[string]any{"env": os.Environ(), "pid": os.Getpid()})
	case "print":
		fmt.Println("out of go", args["text"])
		log.Warn("err of go", "text", args["text"], "token", creds["token"])
		return sendResult(stream, nil)
	case "hang":
		log.Info("hanging")
		<-stream.Context().Done()
		log.Info("cancelled")
		return stream.Context().Err()
	case "fail":
		return sendError(stream, "exec_error", "there is no such issue")
	case "panic":
		panic("as asked")
	}
	return sendError(stream, "unknown_operation", operation)
}

func sendResult(stream grpc.ServerStream, result any) error {
	data, err := json.Marshal(result)
	if err != nil {
		return sendError(stream, "marshal_error", err.Error())
	}
	for start := 0; start < len(data); start += 64 << 10 {
		chunk := newMessage("Chunk")
		set(chunk, "data", data[start:min(start+64<<10, len(data))])
		if err := stream.SendMsg(chunk); err != nil {
			return err
		}
	}
	last := newMessage("Chunk")
	set(last, "eof", true)
	return stream.SendMsg(last)
}

func sendError(stream grpc.ServerStream, code, message string) error {
	chunk := newMessage("Chunk")
	chunk.Set(field(chunk, "error"), protoreflect.ValueOfMessage(newError(code, message)))
	return stream.SendMsg(chunk)
}

func main() {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "--dump-manifest":
		os.Stdout.Write(moduleJSON())
	case len(os.Args) == 6 && os.Args[1] == "host":
		if err := runHost(os.Args[2], os.Args[3], os.Args[4], os.Args[5]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		plugin.Serve(&plugin.ServeConfig{
			HandshakeConfig:  handshake,
			VersionedPlugins: map[int]plugin.PluginSet{1: {"connector": connectorPlugin{}}},
			GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
				return grpc.NewServer(append(options, grpc.MaxRecvMsgSize(64<<20), grpc.MaxSendMsgSize(64<<20))...)
			},
		})
	}
}
