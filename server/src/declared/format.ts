import { readFile, stat } from 'node:fs/promises'
import { LineCounter, type YAMLSeq } from 'yaml'
import { organisation, role, service } from './access-section.ts'
import { client } from './clients-section.ts'
import type { Declared } from './declared.ts'
import { Fields, listOf, type Mode, type Read, Reading } from './fields.ts'
import { DeclaredFileError } from './problems.ts'
import { user } from './users-section.ts'
import { readYaml } from './yaml.ts'

/** Some 160,000 people as `tessera export` writes them. */
const maxBytes = 64 * 1024 * 1024

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
    if (size > maxBytes)
      throw refuse(
        `the file has ${size} bytes; at most ${maxBytes} are read; bring many people in with tessera import`,
      )
    bytes = await readFile(path)
  } catch (error) {
    if (error instanceof DeclaredFileError) throw error
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw refuse(`the file can't be read: check its name and that this user may read it (${reason})`)
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
    throw new DeclaredFileError([
      {
        file,
        line: 0,
        reason: `the file is longer than ${maxBytes} characters; bring many people in with tessera import`,
      },
    ])
  }
  const lines = new LineCounter()
  const reading = new Reading(file, mode, lines)
  const declared: Declared = { file, services: [], roles: [], organisations: [], users: [], clients: [] }
  const sections = sectionsOf(declared)
  const contents = readYaml(source, { file, lines, sections: entriesBy(sections, reading) })
  const fields = Fields.of({ node: contents, line: 1, name: 'the file' }, 'the file', reading)
  for (const [name, read] of sections) fields?.optional(name, read)
  fields?.done()
  reading.names.checkReferences()
  reading.problems.throwIfAny()
  return declared
}

/** By name: reads a section, or a part of it, into what is declared. */
function sectionsOf(declared: Declared): Map<string, Read<unknown>> {
  const into =
    <T>(list: T[], read: Read<T>): Read<unknown> =>
    (place, reading) => {
      for (const one of listOf(read)(place, reading) ?? []) list.push(one)
    }
  return new Map([
    ['services', into(declared.services, service)],
    ['roles', into(declared.roles, role)],
    ['organisations', into(declared.organisations, organisation)],
    ['users', into(declared.users, user)],
    ['clients', into(declared.clients, client)],
  ])
}

/** What of a long section is read before the rest of the file is. */
function entriesBy(
  sections: ReadonlyMap<string, Read<unknown>>,
  reading: Reading,
): Map<string, (entries: YAMLSeq) => void> {
  const readersOf = [...sections].map(([name, read]) => {
    const readEntries = (node: YAMLSeq) => {
      read({ node, line: 1, name }, reading)
      reading.problems.throwIfHopeless()
    }
    return [name, readEntries] as const
  })
  return new Map(readersOf)
}
