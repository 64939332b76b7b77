import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../server/test/harness/process.ts'
import { load } from '../load.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { declaredAskers } from './askers.ts'
import { Journey, type Kind, kinds } from './journey.ts'
import { atMost, median, option, otherClone, type Outcome, type Run } from './outcome.ts'
import { percent, type Ratio, ratioOf } from './ratio.ts'
import { Seeded } from './seeded.ts'

/** V8 compiles a function for good after about a thousand calls. In parts: a code lives for a minute, and this is slow. */
const warmUp = 7
const warming = 100
const counted = 20
const idleSeconds = 4

const names = ['before', 'before, again', 'now'] as const
type Name = (typeof names)[number]
type All = Map<Kind, Record<Name, number[]>>

/**
 * `npm run bench -- instructions --root DIR`: what each kind of request takes beside another clone, in instructions. Callgrind
 * counts them, which runs each some fifty times slower, and alike whatever else the machine does.
 */
export async function instructions({ seed }: Run): Promise<Outcome> {
  const root = otherClone()
  const [starts, rounds] = [Number(option('--starts') ?? 3), Number(option('--rounds') ?? 5)]
  const all: All = new Map(kinds.map((kind) => [kind, { before: [], 'before, again': [], now: [] }]))
  for (let start = 0; start < starts; start++)
    // At the same time: what others do changes no count.
    await Promise.all(
      names.map(async (name) => {
        const options = name === 'now' ? {} : { root }
        const tell = (kind: Kind, spent: number) => all.get(kind)?.[name].push(spent)
        await count(options, new Seeded(seed + start), rounds, tell)
      }),
    )
  return outcome(all, `${starts} starts, in each ${rounds} times ${counted} requests, one at a time`)
}

async function count(
  options: { root?: string },
  random: Seeded,
  rounds: number,
  tell: (kind: Kind, spent: number) => void,
): Promise<void> {
  const folder = newFolder()
  const out = join(folder, 'counted')
  const under = ['valgrind', '-q', '--tool=callgrind', '--smc-check=all-non-file', '--instr-atstart=no']
  const service = await startService(
    await freePort(),
    folder,
    // All is slow here.
    { TESSERA_CODE_LIFETIME: '600' },
    { ...options, under: [...under, `--callgrind-out-file=${out}`] },
  )
  try {
    const journey = await Journey.at(service.url, await declaredAskers(service.url), random)
    const ask = async (kind: Kind, requests: number) => {
      const batch = journey.batch(kind, requests)
      batch.check((await load(service.port, batch.requests, 1, batch.status, true)).answers)
    }
    for (let part = 0; part < warmUp; part++) for (const kind of kinds) await ask(kind, warming)
    control('-i', 'on', service)
    // What is there already is made once more, with counters in it.
    for (const kind of kinds) await ask(kind, counted)
    dumped(service, out)
    await wait(idleSeconds * 1000)
    const idle = dumped(service, out) / idleSeconds
    for (let round = 0; round < rounds; round++)
      for (const kind of kinds) {
        dumped(service, out)
        const began = performance.now()
        await ask(kind, counted)
        const seconds = (performance.now() - began) / 1000
        tell(kind, (dumped(service, out) - idle * seconds) / counted)
      }
  } finally {
    await service.stop()
    remove(folder)
  }
}

let dumps = 0

/** Instructions since the last time. */
function dumped(service: Service, out: string): number {
  control('--dump', `${++dumps}`, service)
  const files = spawnSync('sh', ['-c', `ls ${out}*`], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
  let sum = 0
  for (const file of files.filter((one) => /\.\d+/.test(one))) {
    sum += Number(/^totals: (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
    rmSync(file)
  }
  return sum
}

function control(command: string, value: string, { pid }: Service): void {
  const asked = command === '--dump' ? [`--dump=${value}`] : [command, value]
  const { status, stderr } = spawnSync('callgrind_control', [...asked, String(pid)], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (status !== 0) throw new Error(`callgrind_control: ${stderr}`)
}

function outcome(all: All, how: string): Outcome {
  const rows: string[][] = []
  const figures: Record<string, Record<string, Ratio | number>> = {}
  const bars = []
  for (const [kind, spent] of all) {
    const [now, again] = [ratioOf(spent.now, spent.before), ratioOf(spent['before, again'], spent.before)]
    const thousand = { before: median(spent.before) / 1000, now: median(spent.now) / 1000 }
    rows.push([kind, thousand.before.toFixed(0), thousand.now.toFixed(0), percent(now), percent(again)])
    figures[kind] = { ...thousand, now, again }
    bars.push(atMost(`${kind}, instructions`, now.median, 1.01, '× those of before'))
  }
  const head = ['request', 'before, thousand', 'now, thousand', 'now above before', 'before above itself']
  return {
    tables: [{ title: 'Instructions per request, in user space', head, rows }],
    bars,
    notes: [
      `${how}; what is asked in the background meanwhile is taken off. In parentheses: where 95 of 100 medians lie, when rounds are drawn at random from those that there were.`,
      'Valgrind hides the instructions of newer processors from OpenSSL, so signatures take more of all than they do otherwise.',
    ],
    figures,
  }
}
