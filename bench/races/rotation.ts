import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { run } from '../../server/test/harness/process.ts'
import type { Round } from './rounds.ts'

/** Signing goes on while several commands rotate the keys: every token verifies with the keys that either process publishes. */
export const rotationAgainstSigning: Round = async (racers, parallel, random) => {
  let rotating = true
  const tokens: string[] = []
  const signing = Array.from({ length: Math.min(parallel, 8) }, async () => {
    while (rotating) {
      const { json } = await racers.machine(Math.floor(random() * 2))
      if (json.access_token !== undefined) tokens.push(json.access_token)
    }
  })
  const environment = { TESSERA_MODE: 'development', ...racers.environment }
  const rotated = await Promise.all(
    Array.from({ length: 3 }, async () => await run(['keys', 'rotate'], { environment })),
  )
  rotating = false
  await Promise.all(signing)
  const failed = rotated.find(({ code }) => code !== 0)
  if (failed !== undefined) throw new Error(`The keys can't be rotated: ${failed.stderr}`)
  for (const { url } of racers.services) {
    const keys = createLocalJWKSet((await (await fetch(`${url}/oauth2/jwks`)).json()) as JSONWebKeySet)
    for (const token of tokens.slice(-200)) await jwtVerify(token, keys, { issuer: racers.issuer })
  }
  await checkKeys(environment)
}

/** Each key was published half an hour before it signs, and none stands beside another of its algorithm. */
async function checkKeys(environment: Record<string, string>): Promise<void> {
  const { stdout } = await run(['keys', 'list', '--json'], { environment })
  const { items: all } = JSON.parse(stdout) as { items: Listed[] }
  for (const alg of ['RS256', 'ES256']) checkKeysOf(all.filter((key) => key.alg === alg))
}

interface Listed {
  kid: string
  alg: string
  signs_from: string
  published_until: string | null
}

function checkKeysOf(keys: readonly Listed[]): void {
  const open = keys.filter((key) => key.published_until === null)
  if (open.length !== 1) throw new Error(`${open.length} keys have no end.`)
  for (const [index, { signs_from: signsFrom }] of keys.entries()) {
    const before = keys[index - 1]
    if (before !== undefined && Date.parse(signsFrom) - Date.parse(before.signs_from) < 30 * 60_000)
      throw new Error(`Two keys begin to sign within half an hour: ${JSON.stringify(keys)}`)
  }
}
