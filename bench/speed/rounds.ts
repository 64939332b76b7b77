import type { Service } from '../service.ts'
import { type Askers, declaredAskers } from './askers.ts'
import { Journey, type Kind, kinds } from './journey.ts'
import { type Measured, measureBatch, medians } from './measured.ts'
import { Seeded } from './seeded.ts'

/** One that is measured in turn with others: a service and those who ask it. */
export interface Subject {
  name: string
  service: Service
  askers?: Askers
  /** How many ask at the same time. */
  connections: number
}

/** How many requests of each kind a round has. */
export type Counts = Readonly<Record<Kind, number>>

/**
 * Measures each subject in turn (A B A B), round after round, and yields the medians. The first round warms up.
 * Every kind of request is asked of every subject before the next kind, so what drifts is the same for all.
 */
export async function measureInTurn(
  subjects: readonly Subject[],
  { counts, rounds, seed }: { counts: Counts; rounds: number; seed: number },
): Promise<Measured[][]> {
  const journeys = await Promise.all(
    subjects.map(async ({ service, askers }, index) => {
      const whoAsks = askers ?? (await declaredAskers(service.url))
      return await Journey.at(service.url, whoAsks, new Seeded(seed + index))
    }),
  )
  const all = subjects.map(() => new Map<Kind, Measured[]>(kinds.map((kind) => [kind, []])))
  for (let round = 0; round <= rounds; round++) {
    for (const kind of kinds) {
      for (const [index, { service, connections }] of subjects.entries()) {
        const batch = journeys[index]?.batch(kind, counts[kind])
        if (batch === undefined || batch.requests.length === 0) continue
        const measured = await measureBatch(service, batch, connections)
        if (round > 0) all[index]?.get(kind)?.push(measured)
      }
    }
  }
  return all.map((subject) => [...subject.values()].filter((one) => one.length > 0).map(medians))
}
