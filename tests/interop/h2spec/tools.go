//go:build tools

// Pins the HTTP/2 conformance tester and what it needs.
package tools

import _ "github.com/summerwind/h2spec/cmd/h2spec"
