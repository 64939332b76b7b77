import { fileURLToPath } from 'node:url'
import { pause, Serving } from '../../server/test/harness/process.ts'

const preload = new URL('preload.mjs', import.meta.url).href
const acme = fileURLToPath(new URL('../../server/test/fixtures/acme.yaml', import.meta.url))

/** The environment of a service that a crash bench starts again and again. */
export function environmentOf(databaseUrl: string, port: number): Record<string, string> {
  return {
    TESSERA_DATABASE_URL: databaseUrl,
    TESSERA_PORT: String(port),
    TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
    TESSERA_LOG_LEVEL: 'fatal',
    TESSERA_DECLARED: acme,
    // Everything here comes from one address and one person.
    TESSERA_LIMIT_AUTHORIZE: '0',
    TESSERA_LIMIT_GRANTS: '0',
    TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
    NODE_OPTIONS: `--import ${preload}`,
  }
}

/** A service, and the milliseconds until it said that it is ready. */
export interface Started {
  service: Serving
  readyAfter: number
}

/** Starts it; undefined: it was killed before it was ready. */
export async function startReady(
  environment: Record<string, string>,
  cwd: string,
): Promise<Started | undefined> {
  const began = performance.now()
  let service: Serving
  try {
    service = await Serving.start(environment, cwd)
  } catch (error) {
    // `null`: a signal ended it.
    if (error instanceof Error && error.message.startsWith('It ended with null')) return undefined
    throw error
  }
  for (;;) {
    const status = await fetch(`${service.issuer}/health/ready`).then(
      (response) => response.status,
      () => undefined,
    )
    if (status === 200) return { service, readyAfter: performance.now() - began }
    if (status === undefined) {
      // Killed by what it did in the background.
      await service.ended
      return undefined
    }
    await pause(10)
  }
}
