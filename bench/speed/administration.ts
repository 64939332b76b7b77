import pg from 'pg'
import { startOwnPostgres } from '../../server/test/harness/postgres.ts'
import { cpuBetween } from '../cpu.ts'
import { form, get, load } from '../load.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { filters, type Question, questions } from './administration-questions.ts'
import { type Installation, user } from './administration-rows.ts'
import { administrators, declareAdministrators, seedPostgres, seedSqlite } from './administration-seed.ts'
import { atMost, median, type Outcome, type Run } from './outcome.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { Seeded } from './seeded.ts'

/** A tenth of the people are in one organisation: 100, and 100,000. */
const small: Installation = { users: 1000, organisations: 10, clients: 100 }
export const large: Installation = { users: 1_000_000, organisations: 10_000, clients: 100_000 }
const asked = 150
const rounds = 3
const connections = 4
/** CPU of the service per request, µs, and the median time to the answer, ms. */
interface Cost {
  cpu: number
  p50: number
}

/** What administrators ask, of a small and of a large installation, on both databases. */
export async function administration({ seed }: Run): Promise<Outcome> {
  const server = await startOwnPostgres(() => ['fsync=off', 'shared_buffers=512MB', 'max_wal_size=4GB'])
  try {
    const sqlite = await compared(seed, async () => ({}))
    const postgres = await compared(seed, (size) => newDatabase(server.url, size))
    return outcome({ SQLite: sqlite, PostgreSQL: postgres })
  } finally {
    await server.stop()
  }
}

async function newDatabase(server: string, { users }: Installation): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: `${server}/postgres` })
  await client.connect()
  await client.query(`create database of_${users}`)
  await client.end()
  return { TESSERA_DATABASE_URL: `${server}/of_${users}` }
}

/** Both installations on one kind of database, asked in turn. Without an address it is the embedded one. */
async function compared(
  seed: number,
  databaseOf: (size: Installation) => Promise<Record<string, string>>,
): Promise<[Cost[], Cost[]]> {
  const folders = [newFolder(), newFolder()] as const
  const services: Service[] = []
  try {
    for (const [index, size] of [small, large].entries()) {
      const folder = folders[index] ?? newFolder()
      const database = await databaseOf(size)
      const settings = { TESSERA_DECLARED: declareAdministrators(folder), ...database }
      const { TESSERA_DATABASE_URL: url } = database
      if (url === undefined) await seedSqlite(folder, settings, { seed, size })
      else await seedPostgres(url, settings, { seed, size })
      services.push(await startService(await freePort(), folder, settings))
    }
    const [few, many] = services as [Service, Service]
    const askers = [await Asker.of(few, small, seed), await Asker.of(many, large, seed)] as const
    for (let round = 0; round <= rounds; round++)
      for (const question of questions) for (const asker of askers) await asker.ask(question, round > 0)
    return [askers[0].costs(), askers[1].costs()]
  } finally {
    for (const service of services) await service.stop()
    for (const folder of folders) remove(folder)
  }
}

/** Asks one installation, and keeps what each question cost. */
class Asker {
  readonly #service: Service
  readonly #size: Installation
  readonly #seed: number
  readonly #random: Seeded
  readonly #tokens: Record<Question['who'], string>
  readonly #costs = new Map<Question, Cost[]>(questions.map((question) => [question, []]))

  private constructor(
    service: Service,
    size: Installation,
    seed: number,
    tokens: Record<Question['who'], string>,
  ) {
    this.#service = service
    this.#size = size
    this.#seed = seed
    this.#random = new Seeded(seed)
    this.#tokens = tokens
  }

  static async of(service: Service, size: Installation, seed: number): Promise<Asker> {
    const everything = await token(service, administrators.everything)
    return new Asker(service, size, seed, {
      everything,
      organisation: await token(service, administrators.organisation),
    })
  }

  async ask(question: Question, counts: boolean): Promise<void> {
    const { who, path } = question
    const requests = Array.from({ length: asked }, () => {
      const number = this.#random.below(this.#size.users)
      const organisation = this.#random.below(this.#size.organisations)
      const client = this.#random.below(this.#size.clients)
      const address = path({ number, organisation, client, user_uuid: user(this.#seed, number) })
      return get(`/admin/v1${address}`, { authorization: `Bearer ${this.#tokens[who]}` })
    })
    const before = this.#service.cpu()
    const { p50, answers } = await load(this.#service.port, requests, connections, 200, true)
    const cpu = cpuBetween(before, this.#service.cpu()) / asked
    for (const answer of answers) check(answer, question)
    if (counts) this.#costs.get(question)?.push({ cpu, p50 })
  }

  /** The median of the rounds for each question. */
  costs(): Cost[] {
    return [...this.#costs.values()].map((costs) => ({
      cpu: median(costs.map((one) => one.cpu)),
      p50: median(costs.map((one) => one.p50)),
    }))
  }
}

async function token(service: Service, { id, secret }: { id: string; secret: string }): Promise<string> {
  const request = form('/oauth2/token', {
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  })
  const { answers } = await load(service.port, [request], 1, 200, true)
  return (bodyOf(answers[0] ?? '') as { access_token: string }).access_token
}

/** Whoever finds nothing did not look. Not everybody has a session. */
function check(answer: string, { what }: Question): void {
  const { items } = bodyOf(answer) as { items?: unknown[] }
  const mayBeNone = ['sessions of a user', 'clients of no service there is'].includes(what)
  if (items?.length === 0 && !mayBeNone) throw new Error(`Nothing was found: ${what}.`)
}

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

const isFilter = (what: string) => filters.some(([one]) => one === what) || what.includes('of a role, by')

function outcome(all: Readonly<Record<string, [Cost[], Cost[]]>>): Outcome {
  const head = ['question', '10³ users, CPU, µs', 'p50, ms', '10⁶ users, CPU, µs', 'p50, ms', 'ratio']
  const shown = (cost: Cost | undefined) => [(cost?.cpu ?? 0).toFixed(0), (cost?.p50 ?? 0).toFixed(1)]
  return {
    tables: Object.entries(all).map(([title, [few, many]]) => ({
      title,
      head,
      rows: questions.map(({ what }, index) => [
        what,
        ...shown(few[index]),
        ...shown(many[index]),
        ((many[index]?.p50 ?? 0) / (few[index]?.p50 ?? 1)).toFixed(2),
      ]),
    })),
    bars: Object.entries(all).flatMap(([title, [few, many]]) => {
      const ranges = questions.flatMap(({ what }, index) => (isFilter(what) ? [] : [index]))
      const ratios = ranges.map((index) => (many[index]?.p50 ?? 0) / (few[index]?.p50 ?? 1))
      return [
        atMost(
          `administration on ${title}, the dearest list, search or question of 10⁶ users`,
          Math.max(...ratios),
          2,
          '× of 10³ users',
        ),
        atMost(
          `administration on ${title}, the slowest answer about 10⁶ users, median`,
          Math.max(...many.map(({ p50 }) => p50)),
          100,
          'ms',
        ),
      ]
    }),
    notes: [
      'The large installation has 10⁶ users, 10⁴ organisations, 10⁵ profiles in one of them, 10⁵ live sessions and 10⁵ clients; the small one a thousandth of each.',
      'The ratio is that of the median times to the answer, which on PostgreSQL hold the work of the database; each answer has ten things at the most.',
    ],
    figures: all,
  }
}
