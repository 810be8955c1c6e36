package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Behaves like plugins of version 1: sends every given input, whatever its value.
func runClassic(operation string, args, creds map[string]string) (any, error) {
	switch operation {
	case "update_repo":
		body := map[string]any{}
		for _, name := range []string{"name", "description"} {
			if text, ok := args[name]; ok && text != "" {
				body[name] = text
			}
		}
		for _, name := range []string{"private", "archived"} {
			if text, ok := args[name]; ok {
				body[name] = text == "true"
			}
		}
		return send("PATCH", creds["base_url"]+"/repo", creds, body)
	case "get_issue", "find":
		query := url.Values{}
		for name, text := range args {
			query.Set(name, text)
		}
		return send("GET", creds["base_url"]+"/"+operation+"?"+query.Encode(), creds, nil)
	case "settings_panel":
		// The hub does not save the fields that a render returns.
		return map[string]any{
			"html":   fmt.Sprintf("<p>panel %s as %s</p>", toJSON(args), creds["account"]),
			"fields": map[string]string{"account": "from-render"},
		}, nil
	case "sign_in":
		return map[string]any{
			"html": fmt.Sprintf("<p>signed in %s</p>", toJSON(args)),
			"fields": map[string]any{
				"account":  args["user"],
				"session":  "session-of-" + args["user"],
				"base_url": "http://elsewhere.test",
				"edition":  "stolen",
				"absent":   "x",
			},
		}, nil
	case "sign_out":
		return map[string]any{"done": args["browser"], "fields": map[string]string{"session": ""}}, nil
	case "break_fields":
		return map[string]any{"html": "<p>broken</p>", "fields": map[string]any{"retries": "many", "account": "half"}}, nil
	case "remember":
		folder, err := dataFolder()
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		return nil, os.WriteFile(filepath.Join(folder, "memory"), []byte(args["text"]), 0o600)
	case "recall", "hold":
		if operation == "hold" {
			if _, err := send("GET", creds["base_url"]+"/hold", creds, nil); err != nil {
				return nil, err
			}
		}
		folder, err := dataFolder()
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(filepath.Join(folder, "memory"))
		if os.IsNotExist(err) {
			return nil, nil
		}
		return string(text), err
	}
	return nil, fmt.Errorf("there is no operation %s", operation)
}

// The SDK of version 1 derives the data folder from the path of the program.
func dataFolder() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	folder := filepath.Dir(program)
	connectors := filepath.Dir(folder)
	plugins := filepath.Dir(connectors)
	if filepath.Base(connectors) != "connectors" || filepath.Base(plugins) != "plugins" {
		return "", fmt.Errorf("%s is no place of a plugin", program)
	}
	return filepath.Join(plugins, filepath.Base(folder)), nil
}

func send(method, address string, creds map[string]string, body any) (any, error) {
	var content io.Reader
	if body != nil {
		content = strings.NewReader(toJSON(body))
	}
	request, err := http.NewRequest(method, address, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+creds["session"])
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return map[string]any{"status": response.StatusCode}, nil
}

func toJSON(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSpace(text.String())
}
