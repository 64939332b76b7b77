import { setTimeout as wait } from 'node:timers/promises'
import { newFolder, remove, startService } from '../service.ts'
import { atMost, median, type Outcome } from './outcome.ts'
import { freePort } from '../../server/test/harness/process.ts'

const rounds = 5

/** Starts on a database that is there already, and the memory of the process after five idle seconds. */
export async function start(): Promise<Outcome> {
  const folder = newFolder()
  try {
    const port = await freePort()
    const first = await startService(port, folder)
    await first.stop()
    const times: number[] = []
    const memories: number[] = []
    for (let round = 0; round < rounds; round++) {
      const service = await startService(port, folder)
      times.push(service.startedAfter)
      await wait(5000)
      memories.push(service.memory())
      await service.stop()
    }
    return {
      tables: [
        {
          title: 'Start and memory',
          head: ['what', 'median', 'of'],
          rows: [
            ['start to the first answered discovery request, ms', ...described(times)],
            ['resident memory after five idle seconds, MiB', ...described(memories)],
          ],
        },
      ],
      bars: [
        atMost('start to the first answered discovery request', median(times) / 1000, 0.6, 's'),
        // Megabytes, as the bar has them.
        atMost('idle memory', (median(memories) * 1_048_576) / 1_000_000, 110, 'MB'),
      ],
      notes: [],
      figures: { times, memories },
    }
  } finally {
    remove(folder)
  }
}

const described = (values: readonly number[]) => [
  median(values).toFixed(0),
  values.map((value) => value.toFixed(0)).join(', '),
]
