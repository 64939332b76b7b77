import { readFile, stat } from 'node:fs/promises'
import { LineCounter } from 'yaml'
import { organisation, role, service } from './access-section.ts'
import { client } from './clients-section.ts'
import { json } from '../catalogue/kinds.ts'
import { settled } from '../catalogue/settled.ts'
import type { Branding } from '../protocol/branding.ts'
import type { Policy } from '../protocol/policy.ts'
import type { Declared } from './declared.ts'
import { Fields, listOf, type Mode, type Read, Reading } from './fields.ts'
import { invitation } from './invitations-section.ts'
import { DeclaredFileError } from './problems.ts'
import { checkPasswords, user } from './users-section.ts'
import { readerOf } from './values.ts'
import { readYaml } from './yaml.ts'

const policy = readerOf(json(settled.policy)) as Read<Policy>
const branding = readerOf(json(settled.branding)) as Read<Branding>

/** Some 12,000 people as `tessera export` writes them. */
export const maxFileBytes = 5 * 1024 * 1024

/**
 * Reads and checks a declared file. Throws `DeclaredFileError` with everything that is wrong with it; plain
 * passwords and secrets are wrong in production.
 */
export async function readDeclaredFile(path: string, { mode }: { mode: Mode }): Promise<Declared> {
  return parseDeclared(await readText(path), { file: path, mode })
}

async function readText(path: string): Promise<string> {
  const refuse = (reason: string) => new DeclaredFileError([{ file: path, line: 0, reason }])
  const checkSize = (size: number) => {
    if (size > maxFileBytes)
      throw refuse(
        `the file has ${size} bytes, and at most ${maxFileBytes} are read; bring in people of another system with tessera import, and split a file that grew by its users into several`,
      )
  }
  let bytes: Buffer
  try {
    checkSize((await stat(path)).size)
    bytes = await readFile(path)
    // A pipe has no size before it is read.
    checkSize(bytes.length)
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

/** Does what `readDeclaredFile` does, for a text that is already read; `file` is what problems call it. */
export function parseDeclared(source: string, { file, mode }: { file: string; mode: Mode }): Declared {
  const lines = new LineCounter()
  const reading = new Reading(file, mode, lines)
  const contents = readYaml(source, { file, lines })
  const fields = Fields.of({ node: contents, line: 1, name: 'the file' }, 'the file', reading)
  const section = <T>(name: string, read: Read<T>): T[] => fields?.optional(name, listOf(read)) ?? []
  const declared: Declared = {
    file,
    policy: fields?.optional('policy', policy),
    branding: fields?.optional('branding', branding),
    services: section('services', service),
    roles: section('roles', role),
    organisations: section('organisations', organisation),
    users: section('users', user),
    clients: section('clients', client),
    invitations: section('invitations', invitation),
  }
  fields?.done()
  checkPasswords(declared, reading)
  reading.names.checkReferences()
  reading.problems.throwIfAny()
  return declared
}
