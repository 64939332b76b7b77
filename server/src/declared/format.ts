import { readFile, stat } from 'node:fs/promises'
import { LineCounter, parseDocument } from 'yaml'
import { organisation, role, service } from './access-section.ts'
import { client } from './clients-section.ts'
import type { Declared } from './declared.ts'
import { Fields, listOf, type Mode, Reading } from './fields.ts'
import { DeclaredFileError } from './problems.ts'
import { user } from './users-section.ts'

const maxBytes = 4 * 1024 * 1024

/**
 * Reads and checks a declared file. Throws `DeclaredFileError` with everything that is wrong with it; plain
 * passwords and secrets are wrong in production.
 */
export async function readDeclaredFile(path: string, { mode }: { mode: Mode }): Promise<Declared> {
  return parseDeclared(await readText(path), { file: path, mode })
}

async function readText(path: string): Promise<string> {
  const refuse = (reason: string) => new DeclaredFileError([{ file: path, line: 0, reason }])
  let bytes: Buffer
  try {
    const { size } = await stat(path)
    if (size > maxBytes) throw refuse(`the file has ${size} bytes; at most ${maxBytes} are read`)
    bytes = await readFile(path)
  } catch (error) {
    if (error instanceof DeclaredFileError) throw error
    throw refuse(`the file can't be read (${error instanceof Error && 'code' in error ? error.code : error})`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse('the file is not UTF-8 text')
  }
}

/** As `readDeclaredFile`, of a text that is already read; `file` is what problems call it. */
export function parseDeclared(source: string, { file, mode }: { file: string; mode: Mode }): Declared {
  if (source.length > maxBytes) {
    throw new DeclaredFileError([{ file, line: 0, reason: `the file is longer than ${maxBytes} characters` }])
  }
  const lines = new LineCounter()
  const reading = new Reading(file, mode, lines)
  const contents = parseYaml(source, lines, reading)
  const declared = readSections(contents, file, reading)
  reading.names.checkReferences()
  reading.problems.throwIfAny()
  return declared
}

/** The tree of the one YAML document. A syntax error ends the reading: what follows from it is no use to anyone. */
function parseYaml(source: string, lines: LineCounter, reading: Reading): unknown {
  // Duplicate keys are found by `Fields`: the library compares each key with each other one.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, merge: false } as const
  try {
    const document = parseDocument(source, { ...options, version: '1.2', schema: 'core', logLevel: 'error' })
    for (const error of [...document.errors, ...document.warnings]) {
      reading.problems.add(reading.lineAt(error.pos[0]), `YAML: ${yamlReason(error.code, error.message)}`)
    }
    reading.problems.throwIfAny()
    return document.contents
  } catch (error) {
    if (error instanceof DeclaredFileError) throw error
    // Such as a stack overflow by thousands of nested brackets.
    reading.problems.add(1, 'YAML: the file is nested too deeply to be read')
    reading.problems.throwIfAny()
    return undefined
  }
}

function yamlReason(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; the file holds one'
  return message.replaceAll(/\s+/g, ' ').slice(0, 200)
}

function readSections(contents: unknown, file: string, reading: Reading): Declared {
  const declared: Declared = { file, services: [], roles: [], organisations: [], users: [], clients: [] }
  const fields = Fields.of({ node: contents, line: 1, name: 'the file' }, 'the file', reading)
  if (fields === undefined) return declared
  declared.services = fields.optional('services', listOf(service)) ?? []
  declared.roles = fields.optional('roles', listOf(role)) ?? []
  declared.organisations = fields.optional('organisations', listOf(organisation)) ?? []
  declared.users = fields.optional('users', listOf(user)) ?? []
  declared.clients = fields.optional('clients', listOf(client)) ?? []
  fields.done()
  return declared
}
