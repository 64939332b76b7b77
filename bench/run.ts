/** `npm run bench` measures speed; `npm run bench -- NAME …` runs one: bench/README.md says what there is. */
import { processesOf } from './cpu.ts'
import { apart, parts, suite } from './speed/suite.ts'

const benches: Readonly<Record<string, () => Promise<unknown>>> = {
  speed: () => suite(),
  ...Object.fromEntries(Object.keys({ ...parts, ...apart }).map((name) => [name, () => suite([name])])),
  profile: async () => (await import('./speed/profile.ts')).profile(),
  races: () => import('./races/run.ts'),
  crash: () => import('./crash/run.ts'),
  failover: () => import('./failover/run.ts'),
  bounded: async () => (await import('./bounded.ts')).bounded(),
  'console-heap': async () => (await import('./console-heap.ts')).consoleHeap(),
  'console-rows': async () => (await import('./console-rows.ts')).consoleRows(),
  hostile: async () => (await import('./hostile.ts')).hostile(),
}

// Whoever is told to end takes along what it started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.stderr.write(`Ended by ${signal}.\n`)
    for (const pid of processesOf(process.pid).slice(1)) end(pid)
    process.exit(1)
  })
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has just ended.
  }
}

const name = process.argv[2]?.startsWith('--') ? 'speed' : (process.argv[2] ?? 'speed')
const bench = benches[name]
if (bench === undefined) {
  process.stderr.write(`There is no bench ${name}: ${Object.keys(benches).join(', ')}.\n`)
  process.exitCode = 1
} else {
  // What follows the name is the bench's own.
  if (process.argv[2] === name) process.argv.splice(2, 1)
  await bench()
}
