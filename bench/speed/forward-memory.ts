import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { load } from '../load.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { forwardSettings, question } from './forward-questions.ts'
import { familyRow, profileRow, refreshToken, type Size, sessionRow, userRow } from './growth-rows.ts'
import { fillSqlite, insert } from './growth-seed.ts'
import { wiki } from '../../server/test/forward/proxy.ts'
import { hashSecret } from '../../server/dist/protocol/identifier.js'
import { parseRefreshToken, type RefreshToken } from '../../server/dist/store/refresh-token-text.js'
import { secretAt } from '../../server/dist/store/token-families.js'

const preload = new URL('heap-preload.mjs', import.meta.url).pathname
/** Each of a person of its own. */
const size: Size = { users: 100_000, clients: 2, families: 100_000 }

/** What is left after all garbage was collected, once so many sessions were asked about. MiB. */
export interface Memory {
  sessions: number
  heap: number
  resident: number
}

/** The memory of a service that is asked about more and more sessions, and about all of them once more. */
export async function memoryBySessions(seed: number): Promise<Memory[]> {
  const folder = newFolder()
  const settings = { ...forwardSettings(folder), TESSERA_TEST_HEAP: join(folder, 'heap.json') }
  let service: Service | undefined
  try {
    await seedSessions(folder, seed, settings)
    service = await startService(await freePort(), folder, settings, {
      nodeArguments: ['--expose-gc', '--import', preload],
    })
    const memories: Memory[] = []
    let from = 0
    for (const to of [1000, 30_000, size.families]) {
      await askAbout(service, seed, [from, to])
      memories.push({ sessions: to, ...(await memoryOf(service, settings.TESSERA_TEST_HEAP)) })
      from = to
    }
    return memories
  } finally {
    await service?.stop()
    remove(folder)
  }
}

async function seedSessions(folder: string, seed: number, settings: Record<string, string>): Promise<void> {
  const now = Date.now()
  // Used later than now: none is due to be touched while it is measured.
  const family = (number: number) => ({
    ...familyRow(seed, number, size, now),
    client_id: 'wiki',
    scope: 'openid email profile',
    last_used_at: now + 3_600_000,
    // Its secret counts at one origin alone.
    family_hash: hashSecret(secretAt(wiki, tokenOf(seed, number).familySecret)),
  })
  await fillSqlite(folder, settings, (connection) => {
    insert(connection, 'users', size.users, (number) => userRow(seed, number, now))
    insert(connection, 'profiles', size.users, (number) => profileRow(seed, number))
    insert(connection, 'sessions', size.families, (number) => sessionRow(seed, number, size, now))
    insert(connection, 'token_families', size.families, family)
  })
}

/** Each session once. Whoever is taken for somebody else voids the run. */
async function askAbout(
  { port }: Service,
  seed: number,
  [from, to]: readonly [number, number],
): Promise<void> {
  const few = 10_000
  for (let start = from; start < to; start += few) {
    const numbers = Array.from({ length: Math.min(few, to - start) }, (_, at) => start + at)
    const asked = numbers.map((number) => question(cookieOf(seed, number), '/pages/1'))
    const { answers } = await load(port, asked, 64, 200, true)
    for (const [at, answer] of answers.entries())
      if (!answer.includes(`\r\nRemote-Email: person-${start + at}@bench.example\r\n`))
        throw new Error(`Not told of person ${start + at}: ${answer}`)
  }
}

function tokenOf(seed: number, number: number): RefreshToken {
  const token = parseRefreshToken(refreshToken(seed, number))
  if (token === undefined) throw new Error('A seeded family has no token.')
  return token
}

function cookieOf(seed: number, number: number): string {
  const { familyId, familySecret } = tokenOf(seed, number)
  return `__Host-tessera-proxied=${familyId}.${familySecret}`
}

async function memoryOf({ pid }: Service, file: string): Promise<Omit<Memory, 'sessions'>> {
  await wait(200)
  process.kill(pid, 'SIGUSR2')
  for (let tries = 0; tries < 400 && !existsSync(file); tries++) await wait(50)
  const { heapUsed, rss } = JSON.parse(readFileSync(file, 'utf8')) as NodeJS.MemoryUsage
  rmSync(file)
  return { heap: heapUsed / 2 ** 20, resident: rss / 2 ** 20 }
}
