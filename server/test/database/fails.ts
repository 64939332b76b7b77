import { expect } from 'vitest'
import { post } from '../harness/browser.ts'
import { folderOfDatabases } from '../harness/folders.ts'
import { pause } from '../harness/process.ts'
import { machine, token } from '../harness/program.ts'

/** What is asked while the database is away. */
export type Asked = Awaited<ReturnType<typeof post>>

/** The answer that everybody gets who needs the database (decisions 8): come back, and nothing of the inside. */
export function expectUnavailable(answer: Asked): void {
  expect([answer.status, answer.json.error]).toEqual([503, 'temporarily_unavailable'])
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.json).not.toHaveProperty('access_token')
  expect(answer.text).not.toMatch(/sqlite|postgres|ECONN|SQL/i)
  expect(answer.text).not.toContain(folderOfDatabases())
}

/** Where that is the cause no second try helps before somebody makes room, so it is said. */
export const saysFull = (answer: { text: string } | { body: string }): boolean =>
  ('text' in answer ? answer.text : answer.body).includes('The disk of the database is full')

/**
 * Discovery and keys need no database: they answer, and at once. Whoever waited for it would wait each time; a busy
 * machine gets further tries.
 */
export async function expectDiscovery(url: string): Promise<void> {
  for (const path of ['/.well-known/openid-configuration', '/oauth2/jwks', '/health/live']) {
    let quickest = Infinity
    for (let tries = 0; tries < 5 && quickest >= atOnce; tries++) {
      const began = performance.now()
      expect((await fetch(`${url}${path}`)).status).toBe(200)
      quickest = Math.min(quickest, performance.now() - began)
    }
    expect(quickest, path).toBeLessThan(atOnce)
  }
}

/** Less than any of these tests lets the service wait for its database, ms. */
const atOnce = 900

export async function readiness(url: string): Promise<{ status: number; problem: unknown }> {
  const response = await fetch(`${url}/health/ready`)
  const { problem } = (await response.json()) as { problem?: unknown }
  return { status: response.status, problem }
}

/** POST as a machine: reads alone. */
export async function askForMachine(url: string): Promise<Asked> {
  return await token(url, { grant_type: 'client_credentials', ...machine })
}

/** Waits until the service is ready again, by itself; yields how long it took, ms. */
export async function readyAgain(url: string, within = 60_000): Promise<number> {
  const began = performance.now()
  while ((await readiness(url)).status !== 200) {
    if (performance.now() - began > within) throw new Error(`It is not ready after ${within} ms.`)
    await pause(50)
  }
  return performance.now() - began
}
