// Package shell reads shell scripts as far as that is possible without running them: what they run, in which order, and what happens when it fails.
// It is pure; scripts are hostile input.
package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// MaxSize is the size in bytes up to which a script is read; larger ones are not parsed.
const MaxSize = 256 << 10

// Dialect is the language of a script.
type Dialect string

// The dialects.
const (
	POSIX   Dialect = "sh"
	Bash    Dialect = "bash"
	Korn    Dialect = "ksh"
	Zsh     Dialect = "zsh"
	Unknown Dialect = "" // the first line does not say
	None    Dialect = "none"
)

// SyntaxError says where a script cannot be read.
type SyntaxError struct {
	Line, Column int
	What         string
	// Sure is false where another shell, or the dialect's own shell at run time, may read the script all the same.
	Sure bool
}

// Error gives the place and what is wrong there.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.What) }

// ErrTooLarge says that a script is too large, or too deeply nested, to be read.
var ErrTooLarge = errors.New("the script is too large to be read")

// Script is a script that could be read.
type Script struct {
	file  *syntax.File
	text  []byte
	known map[string]string // variables with one value
	funcs map[string]*syntax.Stmt
}

// Parse reads a script in its dialect. The error is a *SyntaxError or ErrTooLarge. With a *SyntaxError there is a Script all the same when another dialect
// can read it.
func Parse(text []byte, d Dialect) (*Script, error) {
	if len(text) > MaxSize {
		return nil, ErrTooLarge
	}
	variants := map[Dialect][]syntax.LangVariant{
		POSIX: {syntax.LangPOSIX, syntax.LangBash}, Bash: {syntax.LangBash}, Korn: {syntax.LangMirBSDKorn, syntax.LangBash},
		Zsh: {syntax.LangZsh, syntax.LangBash}, Unknown: {syntax.LangBash},
	}[d]
	if variants == nil {
		return nil, ErrTooLarge
	}
	var first *SyntaxError
	for _, v := range variants {
		in := &shallow{rest: text}
		file, err := syntax.NewParser(syntax.Variant(v)).Parse(in, "")
		if in.deep {
			return nil, ErrTooLarge
		}
		if err == nil {
			s := &Script{file: file, text: text}
			s.survey()
			if first != nil {
				first.Sure = false
				return s, first
			}
			return s, nil
		}
		if first == nil {
			first = fault(err, d)
		}
	}
	return nil, first
}

// fault turns the parser's error into one of ours.
func fault(err error, d Dialect) *SyntaxError {
	var lang syntax.LangError
	if errors.As(err, &lang) {
		verb := "is"
		if strings.HasSuffix(lang.Feature, "s") {
			verb = "are"
		}
		return &SyntaxError{Line: int(lang.Pos.Line()), Column: int(lang.Pos.Col()), What: fmt.Sprintf("%s %s not known to every %s", lang.Feature, verb, d), Sure: false}
	}
	var parse syntax.ParseError
	if !errors.As(err, &parse) {
		return &SyntaxError{Line: 1, Column: 1, What: err.Error()}
	}
	// What the parser cannot tell apart, and what shells only warn of, is no certain fault.
	unsure := slices.ContainsFunc([]string{"here-document", "((", "arithm", "array", "index", "=~", "[[", "extglob"}, func(s string) bool { return strings.Contains(parse.Text, s) })
	return &SyntaxError{Line: int(parse.Pos.Line()), Column: int(parse.Pos.Col()), What: parse.Text, Sure: !unsure && (d == Bash || d == POSIX)}
}
