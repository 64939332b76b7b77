import { Composer, type Document, Lexer, type LineCounter, Parser, type CST } from 'yaml'
import { DeclaredFileError, Problems } from './problems.ts'

/** A declared file is about seven deep. The library would run out of memory or stack far above. */
const maxDepth = 32
const maxTextLength = 100_000

const options = {
  prettyErrors: false,
  // Duplicate keys are found by `Fields`: the library compares each key with each other one.
  uniqueKeys: false,
  merge: false,
  version: '1.2',
  schema: 'core',
  logLevel: 'error',
} as const

/** Reads the one YAML document of a text. Throws `DeclaredFileError` with everything that is wrong in its syntax. */
export function readYaml(source: string, { file, lines }: { file: string; lines: LineCounter }): unknown {
  const problems = new Problems(file)
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const refuse = (offset: number, reason: string) =>
    new DeclaredFileError([{ file, line: lineAt(offset), reason: `YAML: ${reason}` }])
  let first: Document.Parsed | undefined
  for (const document of new Composer(options).compose(
    tokensOf(source, lines, refuse),
    true,
    source.length,
  )) {
    if (first !== undefined)
      throw refuse(document.range[0], 'a second document begins here; the file holds one')
    first = document
    for (const { pos, message } of [...document.errors, ...document.warnings])
      problems.add(lineAt(pos[0]), `YAML: ${message.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
  }
  problems.throwIfAny()
  return first?.contents
}

/** The tokens of the library's own parser, refused where they nest too deep or are too long. */
function* tokensOf(
  source: string,
  lines: LineCounter,
  refuse: (offset: number, reason: string) => Error,
): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const piece of new Lexer().lex(source)) {
    const at = parser.offset
    if (piece.length > maxTextLength) throw refuse(at, `a text is longer than ${maxTextLength} characters`)
    yield* parser.next(piece)
    if (parser.stack.length > maxDepth) throw refuse(at, 'it is nested too deeply')
  }
  yield* parser.end()
}
