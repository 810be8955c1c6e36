// Writes vectors.json: the output of Go's text/template for each line of templates.txt and
// data.json. Run it in this folder, and format the result:
//
//	go run write-vectors.go && npx biome format --write vectors.json
//
// Integers of the data are int, because templates of the hub print integers as they are.
// The helpers are those that Go's standard library has.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"text/template"
	"time"
)

type vector struct {
	Template string  `json:"template"`
	Output   *string `json:"output,omitempty"`
	// The step that fails: "parse" or "execute".
	Error string `json:"error,omitempty"`
}

var helpers = template.FuncMap{
	"upper":   strings.ToUpper,
	"lower":   strings.ToLower,
	"trim":    strings.TrimSpace,
	"replace": func(from, to, text string) string { return strings.ReplaceAll(text, from, to) },
	"split":   func(separator, text string) []string { return strings.Split(text, separator) },
	"join": func(separator string, list any) (string, error) {
		switch items := list.(type) {
		case []string:
			return strings.Join(items, separator), nil
		case []any:
			texts := make([]string, len(items))
			for at, item := range items {
				text, ok := item.(string)
				if !ok {
					return "", errors.New("not text")
				}
				texts[at] = text
			}
			return strings.Join(texts, separator), nil
		}
		return "", errors.New("not a list")
	},
	"base64": func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
	"toJSON": func(value any) (string, error) {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(value)
		return strings.TrimSuffix(out.String(), "\n"), err
	},
	"date": func(layout, text string) (string, error) {
		at, err := time.Parse(time.RFC3339Nano, text)
		return at.UTC().Format(layout), err
	},
}

func main() {
	data := toIntegers(readData())
	var vectors []vector
	for _, source := range readTemplates() {
		vectors = append(vectors, run(source, data))
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	check(encoder.Encode(vectors))
	check(os.WriteFile("vectors.json", out.Bytes(), 0o644))
}

func run(source string, data any) vector {
	parsed, err := template.New("t").Funcs(helpers).Parse(source)
	if err != nil {
		return vector{Template: source, Error: "parse"}
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, data); err != nil {
		return vector{Template: source, Error: "execute"}
	}
	text := out.String()
	return vector{Template: source, Output: &text}
}

// Each line is a template, in which ⏎ stands for a line feed. Lines that begin with "# " are comments.
func readTemplates() []string {
	text, err := os.ReadFile("templates.txt")
	check(err)
	var sources []string
	for _, line := range strings.Split(string(text), "\n") {
		if line != "" && !strings.HasPrefix(line, "# ") {
			sources = append(sources, strings.ReplaceAll(line, "⏎", "\n"))
		}
	}
	return sources
}

func readData() any {
	file, err := os.Open("data.json")
	check(err)
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.UseNumber()
	var data any
	check(decoder.Decode(&data))
	return data
}

func toIntegers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if integer, err := value.Int64(); err == nil {
			return int(integer)
		}
		number, err := value.Float64()
		check(err)
		return number
	case []any:
		for at, item := range value {
			value[at] = toIntegers(item)
		}
	case map[string]any:
		for key, member := range value {
			value[key] = toIntegers(member)
		}
	}
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
