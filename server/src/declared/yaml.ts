import { Composer, CST, type Document, isSeq, Lexer, type LineCounter, Parser, type YAMLSeq } from 'yaml'
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
    const document = read === undefined ? undefined : takenOut(sequence)
    if (document !== undefined && check(document) && isSeq(document.contents)) read?.(document.contents)
    if (problems.full) problems.throwIfAny()
    return document !== undefined
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

/** All entries but the last, which goes on, as a document of their own, where they stand in the file. */
function takenOut(sequence: Section['sequence']): Document.Parsed | undefined {
  if (sequence.type === 'block-seq')
    return composed({ ...sequence, items: sequence.items.splice(0, sequence.items.length - 1) })
  const start = sequence.items.at(-1)?.start ?? []
  const comma = start.findIndex((token) => token.type === 'comma')
  // Without one it is wrong, which the whole of them tells.
  if (comma < 0) return undefined
  const items = sequence.items.splice(0, sequence.items.length - 1).map(asEntry)
  // It stands first now.
  start.splice(comma, 1)
  const { offset } = sequence
  return composed({ ...sequence, items, end: [{ type: 'flow-seq-end', offset, indent: -1, source: ']' }] })
}

/** An entry in brackets as the parser leaves it at their end: until then it might have been a key. */
function asEntry(item: CST.CollectionItem): CST.CollectionItem {
  const { start, key, sep, value } = item
  const isPair = [...start, ...(sep ?? [])].some(({ type }) => /^(explicit-key|map-value)-ind$/.test(type))
  if (key?.type !== 'flow-collection' && !CST.isScalar(key)) return item
  if (key.type === 'block-scalar' || sep === undefined || value !== undefined || isPair) return item
  return { start, value: { ...key, end: [...(key.end ?? []), ...sep] } }
}

function composed(value: CST.Token): Document.Parsed | undefined {
  const token: CST.Document = { type: 'document', offset: value.offset, start: [], value }
  const [document] = [...new Composer(options).compose([token])]
  return document
}

/** A list under a key of the file, in block form or in brackets, of which more than one entry was begun. */
interface Section {
  key: string
  sequence: CST.BlockSequence | CST.FlowCollection
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
      const reason = `more than ${maxPieces} names, values and spaces stand in one entry, or outside of the sections`
      throw refuse(at, reason)
    }
  }
  yield* parser.end()
}

function sectionIn([, map, sequence]: readonly CST.Token[]): Section | undefined {
  if (map?.type !== 'block-map' && !isInBrackets(map, '{')) return undefined
  if (sequence?.type !== 'block-seq' && !isInBrackets(sequence, '[')) return undefined
  const item = map.items.at(-1)
  // One whose value was read is not where it goes on.
  if (sequence.items.length < 2 || item?.value !== undefined) return undefined
  const key = item?.key && CST.resolveAsScalar(item.key)
  return key ? { key: key.value, sequence } : undefined
}

const isInBrackets = (token: CST.Token | undefined, opening: string): token is CST.FlowCollection =>
  token?.type === 'flow-collection' && token.start.source === opening
