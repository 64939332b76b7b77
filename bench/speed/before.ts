import { freePort } from '../../server/test/harness/process.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { declaredAskers } from './askers.ts'
import { type Spent, spentOn } from './interleaved.ts'
import { Journey, type Kind, kinds } from './journey.ts'
import { atMost, median, option, otherClone, type Outcome, type Run } from './outcome.ts'
import { cheapest, percent, type Ratio, ratioOf, ratioOfCheapest } from './ratio.ts'
import { Seeded } from './seeded.ts'

/** Of one go: some tens of ms each, so that few are disturbed and those that are compared are close together. */
const counts: Readonly<Record<Kind, number>> = {
  client_credentials: 80,
  'authorize with a session': 200,
  'code exchange': 50,
  refresh: 50,
}
/** V8 has compiled what is asked often after so many. */
const warmUp = 30

/** The one before is there twice: what it differs from itself by is what this bench can not tell. */
const names = ['before', 'before, again', 'now'] as const
type Name = (typeof names)[number]
type Spendings = Record<Name, Spent[]>

/** `npm run bench -- before --root DIR`: the CPU of each kind of request beside that of another clone, which is built. */
export async function before({ seed }: Run): Promise<Outcome> {
  const root = otherClone()
  const [starts, rounds] = [Number(option('--starts') ?? 4), Number(option('--rounds') ?? 60)]
  const all = new Map(kinds.map((kind) => [kind, spendings()]))
  // Anew: one process has its code and its heap laid out by chance, and better or worse than the next.
  for (let start = 0; start < starts; start++) await compare(root, { seed: seed + start, rounds }, all)
  return outcome(all, `${starts} starts of ${rounds} rounds`)
}

const spendings = (): Spendings => ({ before: [], 'before, again': [], now: [] })

async function compare(
  root: string,
  { seed, rounds }: { seed: number; rounds: number },
  all: Map<Kind, Spendings>,
): Promise<void> {
  const folders = names.map(newFolder)
  const services: Service[] = []
  try {
    const subjects = []
    for (const [index, name] of names.entries()) {
      const service = await startService(await freePort(), folders[index], {}, name === 'now' ? {} : { root })
      services.push(service)
      const askers = await declaredAskers(service.url)
      subjects.push({
        name,
        service,
        journey: await Journey.at(service.url, askers, new Seeded(seed + index)),
      })
    }
    for (let round = 0; round < warmUp + rounds; round++)
      // Each is as often the first, which finds the caches of the processor cold.
      for (const kind of kinds)
        for (const { name, service, journey } of rotated(subjects, round)) {
          const spent = await spentOn(service, journey.batch(kind, counts[kind]))
          if (round >= warmUp) all.get(kind)?.[name].push(spent)
        }
  } finally {
    for (const service of services) await service.stop()
    folders.forEach(remove)
  }
}

const rotated = <T>(all: readonly T[], by: number): T[] =>
  all.map((_, index) => all[(index + by) % all.length] as T)

function outcome(all: ReadonlyMap<Kind, Spendings>, how: string): Outcome {
  const rows: string[][] = []
  const figures: Record<string, Record<string, Ratio | number>> = {}
  const bars = []
  for (const [kind, spent] of all)
    for (const which of ['all', 'main'] as const) {
      const of = (name: Name) => spent[name].map((one) => one[which])
      const [pairs, again] = [ratioOf(of('now'), of('before')), ratioOf(of('before, again'), of('before'))]
      const lowest = ratioOfCheapest(of('now'), of('before'))
      const lowestAgain = ratioOfCheapest(of('before, again'), of('before'))
      const µs = { before: cheapest(of('before')), now: cheapest(of('now')) }
      const what = `${kind}, ${which === 'all' ? 'all threads' : 'main thread'}`
      const said = [lowest, lowestAgain, pairs, again].map(percent)
      rows.push([what, median(of('before')).toFixed(0), µs.before.toFixed(1), µs.now.toFixed(1), ...said])
      figures[what] = { ...µs, lowest, lowestAgain, pairs, again }
      if (which === 'all') bars.push(atMost(`${kind}, CPU`, lowest.median, 1.01, '× that of before'))
    }
  const head = [
    'request',
    'before, median, µs',
    'before, cheapest tenth, µs',
    'now, cheapest tenth, µs',
    'now above before, by cheapest tenths',
    'before above itself, by these',
    'now above before, by pairs',
    'before above itself, by pairs',
  ]
  return {
    tables: [{ title: 'CPU per request', head, rows }],
    bars,
    notes: [
      `${how}; in each round each is asked in turn. In parentheses: where 95 of 100 lie, when rounds are drawn at random from those that there were.`,
    ],
    figures,
  }
}
