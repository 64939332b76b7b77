/** What a signature costs is measured at the start, and a warning tells when it is far too much. */
import { spawn } from 'node:child_process'
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { afterAll, describe, expect, it } from 'vitest'
import { processorFlags, timesTooDear } from '../../dist/keys/signature-cost.js'
import { cleanUp, pause, Serving } from '../harness/process.ts'

afterAll(cleanUp)

/** Whether this machine has what can be lost. Where it has not there is never a warning. */
const canBeLost = processorFlags().includes('avx512ifma')

/** The level of the log here: 40 where the Node.js of this machine does not use what there is. */
const usual = timesTooDear(costHere(), processorFlags()) === undefined ? 20 : 40

function costHere() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const data = Buffer.alloc(600)
  const signed = sign('sha256', data, privateKey)
  const cheapest = (work: () => unknown) =>
    Math.min(
      ...Array.from({ length: 100 }, () => {
        const began = performance.now()
        work()
        return performance.now() - began
      }),
    )
  return {
    signature: cheapest(() => sign('sha256', data, privateKey)),
    verification: cheapest(() => verify('sha256', data, publicKey, signed)),
  }
}

/** The line of the log that says how it came out. */
async function told(environment: Record<string, string>) {
  const settings = { TESSERA_DATABASE_URL: 'sqlite::memory:', TESSERA_LOG_LEVEL: 'debug', ...environment }
  const serving = await Serving.start(settings)
  const [line] = await serving.prints(/^.*an RSA signature costs.*$/m)
  const ended = await serving.stop()
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout.match(/an RSA signature costs/g)).toHaveLength(1)
  return JSON.parse(line) as { level: number; msg: string; signature_us: number }
}

describe('what an RSA signature costs', () => {
  it('is measured once, and no reason to warn where it is as it should be', async () => {
    const { level, msg, signature_us: cost } = await told({})
    expect({ level, msg }).toEqual({
      level: usual,
      msg: expect.stringMatching(usual === 20 ? /^measured/ : /build/),
    })
    expect(cost).toBeGreaterThan(10)
  })

  it('is a reason to warn where OPENSSL_ia32cap is set and empty, and the processor has what is lost', async () => {
    const { level, msg } = await told({ OPENSSL_ia32cap: '' })
    expect(level).toBe(canBeLost ? 40 : 20)
    expect(msg).toMatch(canBeLost ? /costs [23]\.\d times .*OPENSSL_ia32cap is set, .*unset it/ : /^measured/)
  })

  it('is no reason to warn on a machine that is busy with other things, and is one there too', async () => {
    const burn = () => spawn(process.execPath, ['-e', 'for (;;) Math.random()'])
    const busy = Array.from({ length: availableParallelism() }, burn)
    try {
      // Both start at the same time, so that the processors have more to do than they can.
      const both = await Promise.all([told({}), told({ OPENSSL_ia32cap: '' })])
      expect(both.map(({ level }) => level)).toEqual([usual, canBeLost ? 40 : 20])
    } finally {
      for (const one of busy) one.kill('SIGKILL')
    }
  })

  it('is measured by one of several processes', async () => {
    const port = String(20_000 + Math.floor(Math.random() * 10_000))
    const environment = {
      TESSERA_MODE: 'development',
      TESSERA_PORT: port,
      TESSERA_DATABASE_URL: 'sqlite:data/x.sqlite',
      TESSERA_LOG_LEVEL: 'debug',
    }
    const serving = new Serving(['serve', '--processes', '2'], { environment })
    await serving.prints(/with 2 processes/)
    await serving.prints(/an RSA signature costs/)
    await pause(500)
    expect((await serving.stop()).stdout.match(/an RSA signature costs/g)).toHaveLength(1)
  })

  it.each([
    ['usual', { signature: 215, verification: 17.6 }, 'fpu avx512ifma', undefined],
    ['on a slow machine', { signature: 860, verification: 70.4 }, 'fpu avx512ifma', undefined],
    ['without the instructions in use', { signature: 437, verification: 16.1 }, 'fpu avx512ifma', '2.3'],
    ['of a processor that has none of them', { signature: 437, verification: 16.1 }, 'fpu avx2', undefined],
    ['of a processor that nobody describes', { signature: 900, verification: 16.1 }, '', undefined],
  ])('is judged beside a verification: %s', (_, cost, flags, times) => {
    expect(timesTooDear(cost, flags)?.toFixed(1)).toBe(times)
  })
})
