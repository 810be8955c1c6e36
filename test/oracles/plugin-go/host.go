package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The manifest type of a host of version 1. A member of another type is an error.
type manifest struct {
	SchemaVersion int      `json:"schema_version"`
	Kind          string   `json:"kind"`
	Version       string   `json:"version"`
	ProtoVersion  int      `json:"proto_version"`
	Entry         string   `json:"entry"`
	OSArch        []string `json:"os_arch"`
	SHA256        string   `json:"sha256"`
	Signature     string   `json:"signature"`
	Module        module   `json:"module"`
}

type module struct {
	Meta struct {
		Key, Name, Description, Icon string
		Fixed                        bool
		DefaultTags                  []struct{ Name string }
	}
	Configs    []config
	Operations []struct {
		Title, Description string
		Ops                []struct {
			Key, Name, Description  string
			Input                   []config
			Destructive, ConfigOnly bool
		}
	}
	OAuth *struct{}
}

type config struct {
	Key, Value, Type, Options, Description    string
	IsSecret, CanRegenerate, Locked, Required bool
	Hidden                                    bool                       `json:"hidden"`
	VisibleWhen                               string                     `json:"visible_when"`
	Group                                     string                     `json:"group"`
	Mode                                      string                     `json:"mode"`
	ColOptions                                map[string]json.RawMessage `json:"col_options"`
}

// Loads the plugin of a folder as a host of version 1 does, calls one operation, and prints
// {"schema", "result"}. With TRUSTED_KEY, the manifest must be signed with that key.
func runHost(folder, operation, args, creds string) error {
	program, described, err := loadPlugin(folder)
	if err != nil {
		return err
	}
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: map[int]plugin.PluginSet{1: {"connector": connectorPlugin{}}},
		Cmd:              exec.Command(program),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		Logger:           hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr}),
	})
	defer client.Kill()
	rpc, err := client.Client()
	if err != nil {
		return err
	}
	if err := rpc.Ping(); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	raw, err := rpc.Dispense("connector")
	if err != nil {
		return err
	}
	conn := raw.(*grpc.ClientConn)
	schema, err := askSchema(conn)
	if err != nil {
		return err
	}
	if described != nil && schema.Meta.Key != described.Module.Meta.Key {
		return fmt.Errorf("the program is %q, its manifest %q", schema.Meta.Key, described.Module.Meta.Key)
	}
	result, err := execute(conn, operation, args, creds)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"schema": schema, "result": json.RawMessage(result)})
}

// A program without a folder runs unchecked; a folder is checked first.
func loadPlugin(path string) (string, *manifest, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return path, nil, nil
	}
	text, err := os.ReadFile(filepath.Join(path, "plugin.json"))
	if err != nil {
		return "", nil, err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return "", nil, fmt.Errorf("plugin.json: %w", err)
	}
	if m.SchemaVersion != 1 || m.ProtoVersion != 1 {
		return "", nil, fmt.Errorf("unsupported schema version %d, protocol version %d", m.SchemaVersion, m.ProtoVersion)
	}
	entry := m.Entry
	if entry == "" {
		entry = m.Module.Meta.Key
	}
	program := filepath.Join(path, entry)
	content, err := os.ReadFile(program)
	if err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256(content)
	if hex.EncodeToString(sum[:]) != m.SHA256 {
		return "", nil, errors.New("sha256 mismatch")
	}
	if trusted := os.Getenv("TRUSTED_KEY"); trusted != "" && !isSigned(trusted, m) {
		return "", nil, errors.New("signature mismatch")
	}
	return program, &m, nil
}

// Version 1 signs only the program's hash, as hex.
func isSigned(trusted string, m manifest) bool {
	key, err := base64.StdEncoding.DecodeString(trusted)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return false
	}
	signature, err := base64.StdEncoding.DecodeString(m.Signature)
	return err == nil && ed25519.Verify(key, []byte(m.SHA256), signature)
}

func askSchema(conn *grpc.ClientConn) (*module, error) {
	answer := newMessage("SchemaResponse")
	path := fmt.Sprintf("/%s/Schema", service.FullName())
	if err := conn.Invoke(context.Background(), path, newMessage("SchemaRequest"), answer); err != nil {
		return nil, err
	}
	var m module
	if err := json.Unmarshal(bytesOf(answer, "manifest_json"), &m); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &m, nil
}

func execute(conn *grpc.ClientConn, operation, args, creds string) ([]byte, error) {
	request := newMessage("ExecuteRequest")
	set(request, "operation", operation)
	set(request, "args_json", []byte(args))
	var texts map[string]string
	if err := json.Unmarshal([]byte(creds), &texts); err != nil {
		return nil, fmt.Errorf("creds: %w", err)
	}
	for name, text := range texts {
		key := protoreflect.ValueOfString(name).MapKey()
		request.Mutable(field(request, "creds")).Map().Set(key, protoreflect.ValueOfString(text))
	}
	path := fmt.Sprintf("/%s/ExecuteStream", service.FullName())
	stream, err := conn.NewStream(context.Background(), &grpc.StreamDesc{ServerStreams: true}, path)
	if err != nil {
		return nil, err
	}
	if err := stream.SendMsg(proto.Message(request)); err != nil {
		return nil, err
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	var result bytes.Buffer
	for {
		chunk := newMessage("Chunk")
		if err := stream.RecvMsg(chunk); err != nil {
			return nil, err
		}
		if failure := field(chunk, "error"); chunk.Has(failure) {
			return nil, fmt.Errorf("plugin: %v", chunk.Get(failure).Message().Interface())
		}
		if chunk.Get(field(chunk, "eof")).Bool() {
			return result.Bytes(), nil
		}
		result.Write(bytesOf(chunk, "data"))
	}
}
