import { Composer, type CST, type Document, isSeq, Lexer, type LineCounter, Parser, type YAMLSeq } from 'yaml'
import { DeclaredFileError, Problems } from './problems.ts'

/** Reads some entries of a section. */
export type ReadEntries = (entries: YAMLSeq) => void

/** A declared file is some seven deep. */
const maxDepth = 32
/** What of a file is held at once, in pieces as the lexer cuts them: names, values, line breaks, spaces. */
const maxPieces = 1_000_000
/** With so many, the entries that are complete are read and let go. */
const enoughPieces = 10_000
const maxPieceLength = 100_000

const options = {
  prettyErrors: false,
  // Duplicate keys are found by `Fields`: the library compares each key with each other one.
  uniqueKeys: false,
  merge: false,
  version: '1.2',
  schema: 'core',
  logLevel: 'error',
} as const

/**
 * Reads the one YAML document of a text as the library's `parseDocument` does, but hands the entries of the sections
 * over while it reads, so that a long file needs little more memory than what is made of it. What is left of the tree
 * is yielded. Throws `DeclaredFileError` for wrong syntax, of which everything is told, and at once for what no
 * declared file holds and only keeps its reader busy.
 */
export function readYaml(
  source: string,
  { file, lines, sections }: { file: string; lines: LineCounter; sections: ReadonlyMap<string, ReadEntries> },
): unknown {
  const problems = new Problems(file)
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const refuse = (offset: number, reason: string) =>
    new DeclaredFileError([{ file, line: lineAt(offset), reason: `YAML: ${reason}` }])
  const check = ({ errors, warnings }: Document.Parsed) => {
    for (const { pos, message } of [...errors, ...warnings]) {
      problems.add(lineAt(pos[0]), `YAML: ${message.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
    }
    // What follows from wrong syntax is no use to anyone.
    return !problems.any
  }
  const handOver = ({ key, sequence }: Section) => {
    const read = sections.get(key)
    // The last one goes on.
    const items = read === undefined ? [] : sequence.items.splice(0, sequence.items.length - 1)
    const document = items.length === 0 ? undefined : composed({ ...sequence, items })
    if (document !== undefined && check(document) && isSeq(document.contents)) read?.(document.contents)
    if (problems.full) problems.throwIfAny()
    return items.length > 0
  }
  let first: Document.Parsed | undefined
  const tokens = tokensOf(source, { lines, refuse, handOver })
  for (const document of new Composer(options).compose(tokens, true, source.length)) {
    if (first !== undefined)
      throw refuse(document.range[0], 'a second document begins here; the file holds one')
    check(document)
    first = document
  }
  problems.throwIfAny()
  return first?.contents
}

/** Entries as a document of their own, where they stand in the file. */
function composed(sequence: CST.BlockSequence): Document.Parsed | undefined {
  const token: CST.Document = { type: 'document', offset: sequence.offset, start: [], value: sequence }
  const [document] = [...new Composer(options).compose([token])]
  return document
}

/** A list in block form under a key of the file, of which more than one entry was begun. */
interface Section {
  key: string
  sequence: CST.BlockSequence
}

interface Reading {
  lines: LineCounter
  refuse: (offset: number, reason: string) => Error
  /** Takes the complete entries out; false: it wants none. */
  handOver: (section: Section) => boolean
}

function* tokensOf(source: string, { lines, refuse, handOver }: Reading): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let pieces = 0
  for (const piece of new Lexer().lex(source)) {
    const at = parser.offset
    if (piece.length > maxPieceLength) throw refuse(at, `a text is longer than ${maxPieceLength} characters`)
    yield* parser.next(piece)
    if (parser.stack.length > maxDepth) throw refuse(at, 'it is nested too deeply')
    if (++pieces < enoughPieces) continue
    const section = sectionIn(parser.stack)
    if (section !== undefined && handOver(section)) pieces = 0
    if (pieces > maxPieces) {
      const reason = `more than ${maxPieces} names, values and spaces stand in one entry, or in lists in brackets; write each entry of a section after a dash on a line of its own`
      throw refuse(at, reason)
    }
  }
  yield* parser.end()
}

function sectionIn([, map, sequence]: readonly CST.Token[]): Section | undefined {
  if (map?.type !== 'block-map' || sequence?.type !== 'block-seq' || sequence.items.length < 2)
    return undefined
  const key = map.items.at(-1)?.key
  return key?.type === 'scalar' ? { key: key.source, sequence } : undefined
}
