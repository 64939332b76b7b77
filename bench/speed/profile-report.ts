/** A profile as V8 writes it. Times in µs. */
export interface CpuProfile {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
    children?: number[]
  }[]
  samples: number[]
  timeDeltas: number[]
}

interface Run {
  kind: string
  requests: number
  /** Whether the main thread had a core to itself. */
  alone: boolean
  threads: readonly { name: string; cpu: number }[]
}

interface Function {
  name: string
  place: string
  /** Where its time counts: a room of the service, a package, Node, or V8. */
  owner: string
  self: number
  /** With what it called before it returned; what it awaited is not in it. */
  total: number
}

/** Tables of µs per request: by thread, by owner, by function, and by function of the service with all it calls. */
export function describeProfile(profile: CpuProfile, run: Run): string {
  const functions = functionsOf(profile).filter(({ name }) => name !== '(idle)')
  const each = (time: number) => (time / run.requests).toFixed(1)
  const owners = new Map<string, number>()
  for (const { owner, self } of functions) owners.set(owner, (owners.get(owner) ?? 0) + self)
  const main = (run.threads.find(({ name }) => name === 'main thread')?.cpu ?? 0) * run.requests
  const unseen = main - functions.reduce((sum, { self }) => sum + self, 0)
  owners.set('not seen by the profiler: polling, the kernel', Math.max(0, unseen))
  const bySelf = functions.toSorted((a, b) => b.self - a.self).slice(0, 45)
  const ours = functions.filter(({ place }) => place.startsWith('server/')).sort((a, b) => b.total - a.total)
  const threads = run.threads.map(({ name, cpu }) => [name, cpu.toFixed(1)])
  return `# Where the time of ${run.kind} goes

${run.requests} of them; µs each. ${
    run.alone
      ? 'The main thread had a core to itself, everything else the other one.'
      : 'The main thread shared its core: what else ran there counts as its time below.'
  }
The profiler itself takes its part, in the main thread and in one of its own.

${table(['thread', 'µs'], threads)}
## The main thread, by owner

${table(
  ['owner', 'µs'],
  [...owners]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 25)
    .map(([owner, self]) => [owner, each(self)]),
)}
## By function: itself

${table(
  ['function', 'where', 'µs'],
  bySelf.map(({ name, place, self }) => [name, place, each(self)]),
)}
## By function of the service: with what it calls until it returns or waits

${table(
  ['function', 'where', 'µs', 'of it itself'],
  ours.slice(0, 45).map(({ name, place, self, total }) => [name, place, each(total), each(self)]),
)}`
}

function functionsOf({ nodes, samples, timeDeltas }: CpuProfile): Function[] {
  const selfOf = new Map<number, number>()
  samples.forEach((id, index) => selfOf.set(id, (selfOf.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0)))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const keys = new Map<number, string>()
  const functions = new Map<string, Function>()
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame
    const key = `${functionName} ${url} ${lineNumber}`
    keys.set(id, key)
    const name = functionName === '' ? '(anonymous)' : functionName
    if (!functions.has(key))
      functions.set(key, {
        name,
        place: placeOf(url, lineNumber),
        owner: ownerOf(url, name),
        self: 0,
        total: 0,
      })
  }
  for (const [id, self] of selfOf) {
    const own = functions.get(keys.get(id) ?? '')
    if (own) own.self += self
    // A function that calls itself counts once.
    const above = new Set<string>()
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at))
      above.add(keys.get(at) ?? '')
    for (const key of above) {
      const one = functions.get(key)
      if (one) one.total += self
    }
  }
  return [...functions.values()]
}

function placeOf(url: string, line: number): string {
  const path = url.replace(/^file:\/\//, '')
  const short =
    /(?:node_modules\/(?!.*node_modules\/)|(?=\/(?:server|guard)\/dist\/)\/)(.*)$/.exec(path)?.[1] ?? path
  return short === '' ? 'native' : `${short}:${line + 1}`
}

function ownerOf(url: string, name: string): string {
  if (url === '') return name.startsWith('(') ? `V8 ${name}` : 'native functions'
  if (url.startsWith('node:'))
    return `Node (${
      url
        .slice(5)
        .replace(/^internal\//, '')
        .split('/')[0]
    })`
  const [, pack] = /node_modules\/(?!.*node_modules\/)((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (pack !== undefined) return pack
  const [, room] = /\/server\/dist\/([^/]+)/.exec(url) ?? []
  return room === undefined ? 'other' : `the service: ${room}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('')
}
