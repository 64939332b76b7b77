import { upstreamOfFile } from './upstream-section.ts'
import { readFile, stat } from 'node:fs/promises'
import { LineCounter } from 'yaml'
import type * as z from 'zod'
import type { Branding } from '../protocol/branding.ts'
import type { Policy } from '../protocol/policy.ts'
import { organisationOfFile, roleOfFile, serviceOfFile } from './access-section.ts'
import { clientOfFile } from './clients-section.ts'
import type { Declared } from './declared.ts'
import { invitationOfFile } from './invitations-section.ts'
import { DeclaredFileError } from './problems.ts'
import { Reading } from './reading.ts'
import { fileSchema, type Mode, type Section, sections } from './schema.ts'
import { checkPasswords, userOfFile } from './users-section.ts'
import { readYaml } from './yaml.ts'

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
  const checkSize = (size: number) => checkFileSize(path, size)
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

/** Throws when a file of so many bytes is not read. */
export function checkFileSize(file: string, size: number): void {
  if (size <= maxFileBytes) return
  const reason = `the file has ${size} bytes, and at most ${maxFileBytes} are read; bring in people of another system with tessera import, and split a file that grew by its users into several`
  throw new DeclaredFileError([{ file, line: 0, reason }])
}

/** Does what `readDeclaredFile` does, for a text that is already read; `file` is what problems call it. */
export function parseDeclared(source: string, { file, mode }: { file: string; mode: Mode }): Declared {
  const lines = new LineCounter()
  const reading = new Reading(file, readYaml(source, { file, lines }), lines)
  const { said, whole, place } = reading.check(fileSchema, reading.document.data, [])
  const schemas = sections[mode]
  const entries = <S extends z.ZodType>(name: Section, schema: S) =>
    (said[name] ?? []).map((one, index) => reading.check(schema, one, [name, index]))
  const roles = entries('roles', schemas.roles)
  const organisations = entries('organisations', schemas.organisations)
  const users = entries('users', schemas.users)
  const upstreams = entries('upstreams', schemas.upstreams)
  const declared: Declared = {
    file,
    policy: said.policy as Policy | undefined,
    branding: said.branding as Branding | undefined,
    break_glass: whole?.break_glass,
    assertion_issuers: whole?.assertion_issuers,
    services: entries('services', schemas.services).flatMap((one) => serviceOfFile(one) ?? []),
    roles: roles.flatMap((one) => roleOfFile(one) ?? []),
    organisations: organisations.flatMap((one) => organisationOfFile(one) ?? []),
    upstreams:
      said.upstreams === undefined ? undefined : upstreams.flatMap((one) => upstreamOfFile(one) ?? []),
    users: users.flatMap((one) => userOfFile(one) ?? []),
    clients: entries('clients', schemas.clients).flatMap((one) => clientOfFile(one) ?? []),
    invitations: entries('invitations', schemas.invitations).flatMap((one) => invitationOfFile(one) ?? []),
  }
  for (const [index, one] of (whole?.assertion_issuers ?? []).entries())
    for (const [at, code] of (one.organisations ?? []).entries())
      place.at('assertion_issuers', index, 'organisations', at).refer('organisation', code)
  checkPasswords(users, { ...said, roles, organisations })
  reading.names.checkReferences(reading.problems)
  reading.problems.throwIfAny()
  return declared
}
