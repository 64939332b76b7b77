import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, remove, startService } from '../service.ts'
import { declaredAskers } from './askers.ts'
import { measureFloors } from './floor.ts'
import { algorithmOf, Journey } from './journey.ts'
import { es256Signature } from './limits.ts'
import { type Measured, measureBatch, measuredHead, measuredRow, medians } from './measured.ts'
import { atMost, type Outcome, type Run } from './outcome.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { Seeded } from './seeded.ts'

const root = new URL('../../', import.meta.url).pathname
const requests = 12_000
const rounds = 3

/** Machine tokens for a service that asks for ES256. */
export async function es256({ seed }: Run): Promise<Outcome> {
  const folder = newFolder()
  try {
    const declared = declareEs256(folder)
    const service = await startService(await freePort(), folder, { TESSERA_DECLARED: declared })
    try {
      const journey = await Journey.at(service.url, await declaredAskers(service.url), new Seeded(seed))
      const all: Measured[] = []
      for (let round = 0; round <= rounds; round++) {
        const batch = journey.batch('client_credentials', requests)
        const check = (answers: readonly string[]) => {
          batch.check(answers)
          const wrong = answers.map(algorithmOf).find((alg) => alg !== 'ES256')
          if (wrong !== undefined) throw new Error(`A token was signed by ${wrong}.`)
        }
        const measured = await measureBatch(service, { ...batch, check }, 16)
        if (round > 0) all.push(measured)
      }
      const [floor] = await measureFloors(['fastify'])
      return outcome(medians(all), (floor?.cpu ?? 0) + es256Signature().cpu)
    } finally {
      await service.stop()
    }
  } finally {
    remove(folder)
  }
}

/** The reference file, but for the algorithm of its first service, which is that of the machine that asks. */
function declareEs256(folder: string): string {
  const reference = readFileSync(join(root, 'server/test/fixtures/acme.yaml'), 'utf8')
  const audience = '    audience: https://submissions.acme.example/api\n'
  const path = join(folder, 'es256.yaml')
  writeFileSync(path, reference.replace(audience, `${audience}    access_token_alg: ES256\n`))
  return path
}

/** `alone`: what a bare server and a bare signature take here, µs. */
function outcome(measured: Measured, alone: number): Outcome {
  const bar = atMost('client_credentials by ES256, CPU', measured.cpu, 150, 'µs')
  return {
    tables: [{ title: 'Machine tokens by ES256', head: measuredHead, rows: [measuredRow(measured)] }],
    bars: [{ ...bar, why: `a bare Fastify answer and a bare signature ${alone.toFixed(0)} µs` }],
    notes: [
      'Signatures in the column are RSA-2048 ones; the tokens hold ES256 ones, which is checked of each.',
    ],
    figures: { measured, alone },
  }
}
