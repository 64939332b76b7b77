import { createReadStream, fstatSync, openSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import type { FieldProblem } from '../protocol/problem.ts'
import type { Store } from '../database/store.ts'
import { renewStatistics } from '../database/statistics.ts'
import type { Context } from './context.ts'
import { RefusedFile, Report } from './import-report.ts'
import { type FirebaseKey, readFirebaseKey } from '../import/firebase.ts'
import type { HashOptions } from '../import/password-hash.ts'
import { type Counts, importRows } from '../import/rows.ts'
import type { SourceRow } from '../import/lines.ts'
import { readSource } from '../import/source.ts'
import { plainPasswords } from '../identity/plain-passwords.ts'
import { encryptedTotp } from '../keys/totp-secret.ts'
import type { TotpSecret } from '../protocol/totp-secret.ts'
import { readRpId, readSecrets } from '../settings.ts'
import { untilToldToStop } from './stop.ts'
import { commandOrigin, withStore } from './with-store.ts'

export interface ImportOptions {
  dryRun?: boolean
  refused?: string
  json?: boolean
  firebaseKey?: string
  acceptWeak?: boolean
}

/** Imports a file, or standard input, and tells how it went; sets the exit code. */
export async function importFile(context: Context, file: string, options: ImportOptions): Promise<void> {
  const hashes = hashOptions(options)
  const { input, size } = inputOf(file)
  const name = file === '-' ? 'standard input' : basename(file)
  const counts = await withStore(context, (store) =>
    run(store, { input, name, size, environment: context.environment, hashes }, options),
  )
  if (counts.refused > 0 && process.exitCode === undefined) process.exitCode = 2
}

/** Opened at once: what can't be read is told before the database is, and in a line. */
function inputOf(file: string): Pick<Input, 'input' | 'size'> {
  if (file === '-') return { input: process.stdin, size: undefined }
  return readable(file, () => {
    const fd = openSync(file, 'r')
    return { input: createReadStream(file, { fd }), size: fstatSync(fd).size }
  })
}

interface Input {
  input: Readable
  name: string
  size: number | undefined
  environment: Context['environment']
  hashes: HashOptions
}

function hashOptions({ firebaseKey, acceptWeak = false }: ImportOptions): HashOptions {
  return {
    firebaseKey: firebaseKey === undefined ? undefined : firebaseKeyIn(firebaseKey),
    wrapWeak: acceptWeak ? plainPasswords.hashPassword : undefined,
  }
}

function firebaseKeyIn(file: string): FirebaseKey {
  const key = readFirebaseKey(readable(file, () => readFileSync(file, 'utf8')))
  if ('problem' in key) throw new Error(`The file ${file} ${key.problem}. Nothing was imported.`)
  return key
}

/** What can't be read is told in a line. */
function readable<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Error(`The file ${file} can't be read (${reason}). Nothing was imported.`)
  }
}

async function run(
  store: Store,
  { input, name, size, environment, hashes }: Input,
  options: ImportOptions,
): Promise<Counts> {
  let bytesRead = 0
  const source = await readSource(counted(input, (bytes) => (bytesRead += bytes)))
  const { json = false, dryRun = false } = options
  const keepsRefused = options.refused !== undefined
  const report = new Report({ name, json, dryRun, keepsRefused, size, bytesRead: () => bytesRead })
  const refusedFile = new RefusedFile(options.refused, source.head)
  let stopped = false
  void untilToldToStop().then(() => {
    stopped = true
    input.destroy()
  })
  const told = {
    by: commandOrigin(),
    encryptTotp: (totp: TotpSecret, id: string) => encryptedTotp(totp, id, readSecrets(environment).secret),
    rpId: () => readRpId(environment),
    hashes,
    progress: (counts: Counts) => report.progress(counts),
    refused: (row: SourceRow, problems: readonly FieldProblem[]) => {
      report.refused(row, problems)
      refusedFile.add(row)
    },
  }
  try {
    const counts = await importRows(store, source, { name, dryRun, now: Date.now, ...told }, () => stopped)
    await renewStatistics(store, counts.imported)
    report.done(counts, stopped)
    if (stopped) process.exitCode = 1
    return counts
  } finally {
    refusedFile.close()
  }
}

async function* counted(input: Readable, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of input as AsyncIterable<Buffer>) {
    count(chunk.length)
    yield chunk
  }
}
