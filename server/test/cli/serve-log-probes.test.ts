import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp, freePort, Serving } from '../harness/process.ts'

/** Somebody asks every few seconds how a service is: that says nothing in a log, and counts in the metrics. */

afterAll(cleanUp)

const probes = [
  ['GET', '/health/live'],
  ['HEAD', '/health/live'],
  ['GET', '/health/ready'],
  ['HEAD', '/health/ready'],
  ['GET', '/health/ready?from=balancer'],
] as const
const others = [
  ['GET', '/oauth2/jwks'],
  ['GET', '/health'],
  ['GET', '/health/other'],
  ['POST', '/health/live'],
] as const

describe('a probe', () => {
  it.each([
    ['info', 0],
    ['debug', 20],
  ])('is no line of a log at the level %s, or one of that', async (level, count) => {
    const metrics = await freePort()
    const serving = await Serving.start({
      TESSERA_LOG_LEVEL: level,
      TESSERA_METRICS_PORT: String(metrics),
    })
    const statuses = []
    for (let times = 0; times < 4; times++)
      for (const [method, path] of probes)
        statuses.push((await fetch(`${serving.url}${path}`, { method })).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    for (const [method, path] of others) await fetch(`${serving.url}${path}`, { method })
    const text = await (await fetch(`http://localhost:${metrics}/metrics`)).text()
    for (const route of ['/health/live', '/health/ready'])
      expect(text).toMatch(
        new RegExp(`duration_seconds_count{method="GET",route="${route}",status="200"} \\d`),
      )
    // The line of the last of them stands after those of all before.
    await serving.prints(/"method":"POST"[^\n]*\n/)
    const { stdout } = await serving.stop('SIGKILL')
    const records = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { level: number; path?: string; status?: number })
    expect(records.filter(({ path, status }) => path?.startsWith('/health/') && status === 200)).toHaveLength(
      count,
    )
    const told = records.filter(({ level: one, path }) => one >= 30 && path).map(({ path }) => path)
    expect(told).toEqual(others.map(([, path]) => path))
  })

  it('is none where it is told that the service stops', async () => {
    const serving = await Serving.start({})
    expect((await fetch(`${serving.url}/health/ready`)).status).toBe(200)
    const ended = serving.stop()
    let status = 200
    while (status === 200) {
      status = (await fetch(`${serving.url}/health/ready`, { headers: { connection: 'close' } })).status
    }
    expect(status).toBe(503)
    // A process that is told twice sends no more, and is waited for no longer.
    expect((await fetch(`${serving.url}/health/ready`, { headers: { connection: 'close' } })).status).toBe(
      503,
    )
    expect((await ended).stdout).not.toContain('/health')
  })
})
