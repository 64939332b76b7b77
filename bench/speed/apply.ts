import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client, form } from '../load.ts'
import { newFolder, remove, startService } from '../service.ts'
import { atMost, type Outcome, type Run } from './outcome.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { Seeded } from './seeded.ts'
import { Visitor } from './visitor.ts'

const root = new URL('../..', import.meta.url).pathname
const people = 20_000
const visitors = 4

/** What a file says of each of them; the steps follow one another. */
const steps: readonly (readonly [what: string, of: Described | undefined])[] = [
  ['made', {}],
  ['named otherwise', { name: 'Other' }],
  ['given another role', { name: 'Other', role: 'bookkeeper' }],
  ['disabled', { name: 'Other', role: 'bookkeeper', active: false }],
  ['pruned', undefined],
]

interface Described {
  name?: string
  role?: string
  active?: boolean
}

/** Whoever refreshes while a file changes many people on SQLite, which has one writer. */
export async function apply({ seed }: Run): Promise<Outcome> {
  const folder = newFolder()
  const service = await startService(await freePort(), folder)
  try {
    const tokens: string[] = []
    for (let n = 0; n < visitors; n++) tokens.push(await signedIn(service.port, seed + n))
    const rows: string[][] = []
    const longest: number[] = []
    for (const [what, described] of steps) {
      const applying = applied(folder, described)
      const waits = await refreshing(service.port, tokens, applying)
      const worst = Math.max(...waits)
      longest.push(worst)
      rows.push([what, (await applying).toFixed(0), String(waits.length), worst.toFixed(0)])
    }
    const head = [`${people} people are`, 'tessera apply, ms', 'refreshes meanwhile', 'the longest, ms']
    return {
      tables: [{ title: 'Applying a file beside refreshes, on SQLite', head, rows }],
      // Who waits for 5 s is refused.
      bars: [atMost('the longest refresh while a file is applied', Math.max(...longest) / 1000, 2.5, 's')],
      notes: ['Any other answer to a refresh than its tokens voids the run.'],
      figures: { rows },
    }
  } finally {
    await service.stop()
    remove(folder)
  }
}

async function signedIn(port: number, seed: number): Promise<string> {
  const visitor = new Visitor(port, new Seeded(seed))
  try {
    return String((await visitor.signIn())?.refresh_token)
  } finally {
    visitor.close()
  }
}

/** Yields how long it took, ms. */
async function applied(folder: string, described: Described | undefined): Promise<number> {
  const file = join(folder, 'acme.yaml')
  writeFileSync(file, declared(described))
  const began = performance.now()
  const command = [join(root, 'server/bin/tessera.cjs'), 'apply', file, '--yes', '--prune']
  const env = {
    ...process.env,
    TESSERA_MODE: 'development',
    TESSERA_DATABASE_URL: `sqlite:${join(folder, 'tessera.sqlite')}`,
  }
  await promisify(execFile)(process.execPath, command, { env, maxBuffer: 2 ** 28 })
  return performance.now() - began
}

function declared(described: Described | undefined): string {
  const acme = readFileSync(join(root, 'server/test/fixtures/acme.yaml'), 'utf8')
  if (described === undefined) return acme
  const { name = 'Person', role = 'reader', active = true } = described
  const users = Array.from(
    { length: people },
    (_, n) => `  - { email: p${n}@many.example, name: ${name} ${n}, active: ${active},
      profiles: [{ role: ${role}, organisation: acme }] }\n`,
  )
  return acme.replace('users:\n', () => `users:\n${users.join('')}`)
}

/** Each visitor refreshes, and rests for 20 ms, until `end`; yields how long each answer took, ms. */
async function refreshing(port: number, tokens: string[], end: Promise<unknown>): Promise<number[]> {
  const waits: number[] = []
  let over = false
  const lanes = tokens.map(async (_, lane) => {
    const client = new Client(port)
    while (!over) {
      const began = performance.now()
      const fields = { client_id: 'submissions-web', refresh_token: tokens[lane] ?? '' }
      const answer = await client.send(form('/v1/iam/token/refresh', fields))
      waits.push(performance.now() - began)
      const token = /"refresh_token":"([^"]+)"/.exec(answer)?.[1]
      if (token === undefined) throw new Error(`A wrong answer: ${answer.slice(0, 400)}`)
      tokens[lane] = token
      await wait(20)
    }
    client.close()
  })
  await end.finally(() => (over = true))
  await Promise.all(lanes)
  return waits
}
