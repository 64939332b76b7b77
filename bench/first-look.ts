/** `npm run bench`: a first look. bench/README.md says how each figure is taken. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { type Measured, measureEndpoints } from './endpoints.ts'
import { newFolder, remove, startService } from './service.ts'
import { signaturesPerSecond } from './signatures.ts'

const port = 4390

const starts = await measureStarts()
const signatures = signaturesPerSecond()
const endpoints = await measureLoad()
const report = describe()
const results = new URL('results/', import.meta.url)
mkdirSync(results, { recursive: true })
writeFileSync(new URL('first-look.md', results), report)
process.stdout.write(report)

/** Three starts on a database that is there already: the median, and the memory after five idle seconds. */
async function measureStarts(): Promise<{ ms: number; memory: number }> {
  const folder = newFolder()
  const first = await startService(port, folder)
  await first.stop()
  const times: number[] = []
  let memory = 0
  for (let round = 0; round < 3; round++) {
    const service = await startService(port, folder)
    times.push(service.startedAfter)
    if (round === 2) {
      await new Promise((resolve) => setTimeout(resolve, 5000))
      memory = service.memory()
    }
    await service.stop()
  }
  remove(folder)
  return { ms: times.sort((a, b) => a - b)[1] ?? 0, memory }
}

async function measureLoad(): Promise<Measured[]> {
  const service = await startService(port)
  try {
    return await measureEndpoints(service)
  } finally {
    await service.stop()
    remove(service.folder)
  }
}

function describe(): string {
  const signature = 1_000_000 / signatures
  const row = ({ name, perSecond, cpu, p50, p99 }: Measured) =>
    `| ${name} | ${perSecond.toFixed(0)} | ${cpu.toFixed(0)} | ${(cpu / signature).toFixed(2)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} |`
  return `# A first look

Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), SQLite with durable commits, default settings, RS256.

| what | value |
|---|---|
| start to the first answered discovery request | ${starts.ms.toFixed(0)} ms |
| idle memory | ${starts.memory.toFixed(0)} MiB |
| RSA-2048 signatures on one core | ${signatures}/s (${signature.toFixed(0)} µs each) |

| request | per second | CPU of the service, µs | in signatures | p50, ms | p99, ms |
|---|---|---|---|---|---|
${endpoints.map(row).join('\n')}
`
}
