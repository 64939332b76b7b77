import { readFile, stat } from 'node:fs/promises'
import { Command } from 'commander'
import { readForeignKey } from '../keys/foreign-key.ts'
import { foreignKeys, longestForeign, publishForeign, withdrawForeign } from '../keys/foreign-keys.ts'
import { keyTimes } from '../keys/key-times.ts'
import type { Store } from '../database/store.ts'
import { agreed, refuseUnasked } from './ask.ts'
import { type Context, print } from './context.ts'
import { commandOrigin, withStore } from './with-store.ts'

const largest = 64 * 1024

interface ImportOptions {
  until: string
  kid?: string
  yes?: boolean
}

/** `tessera keys import-public`: a public key of the service from before, for verifiers that can't wait. */
export function importPublicCommand(context: Context): Command {
  return new Command('import-public')
    .description('Publish a public key of another service in the key set for a while, for verifiers alone.')
    .argument('<file>', 'the public key: PEM, a JWK, or a key set')
    .requiredOption('--until <time>', 'when it leaves the key set, a day ahead at most: 2026-05-04T12:00:00Z')
    .option('--kid <kid>', 'the id of the key, where the file has none, or has several')
    .option('--yes', 'yes, whoever holds the private key is this issuer until then')
    .addHelpText(
      'after',
      `
For the day of a move: verifiers that ask this service for keys go on taking tokens that the other one signed.
WHOEVER HOLDS THE PRIVATE KEY IS THIS ISSUER UNTIL THEN, to every verifier that reads the key set. Usually it is not
needed: people sign in once more. Nothing here takes a token by it, and neither does @tessera/guard, which knows it by
"tessera_foreign" in the key; a guard from before this version does, so update those first.

An RSA key has 2048 bits or more, an EC key the curve P-256. A file with a private key is refused, and so is a kid that
the key set has. Running services publish it within ${keyTimes.look / 1000} seconds, and take it out at its end by themselves.
Verifiers that keep a key set longer than they may go on taking tokens by it for as long.

Examples:
  $ curl -s https://old.example/realms/acme/protocol/openid-connect/certs > certs.json
  $ tessera keys import-public certs.json --kid 4kWx… --until 2026-05-04T12:00:00Z
  $ tessera keys withdraw-public 4kWx…`,
    )
    .action(async (file: string, options: ImportOptions) => {
      const until = endOf(options.until, context.now())
      const jwk = readForeignKey(await textOf(file), options.kid)
      const at = new Date(until).toISOString()
      const holds = `Whoever holds the private half of ${jwk.kid} (${jwk.alg}) is this issuer until ${at}`
      refuseUnasked(context, options, holds)
      await agreed(context, `${holds}, to every verifier that reads the key set. Publish it?`, options)
      const by = commandOrigin()
      await withStore(context, (store) => publishForeign(store, jwk, { now: context.now(), until, by }))
      print(
        context,
        `${jwk.kid} (${jwk.alg}) is in the key set until ${at}. Whoever holds its private half is this issuer until then. Nothing here takes a token by it. tessera keys withdraw-public takes it back.`,
      )
    })
}

/** `tessera keys withdraw-public`: takes one back before its end. */
export function withdrawPublicCommand(context: Context): Command {
  return new Command('withdraw-public')
    .description('Take a public key of another service out of the key set before its end.')
    .argument('<kid>', 'the id of the key')
    .addHelpText('after', '\nExample:\n  $ tessera keys withdraw-public 4kWx…')
    .action(async (kid: string) => {
      await withStore(context, (store) =>
        withdrawForeign(store, kid, { now: context.now(), by: commandOrigin() }),
      )
      print(
        context,
        `${kid} is out of the key set; running services follow within ${keyTimes.look / 1000} seconds, and verifiers when they fetch it again.`,
      )
    })
}

/** The keys of other services as the list of keys tells them. */
export async function foreignOnes(store: Store, now: number) {
  return (await foreignKeys(store, now)).map(({ kid, public_jwk, created_at, published_until }) => ({
    kid,
    alg: String((JSON.parse(public_jwk) as { alg?: unknown }).alg),
    created_at: new Date(created_at).toISOString(),
    signs_from: null,
    published_until: new Date(published_until).toISOString(),
    state: 'of another service, for verifiers alone',
  }))
}

async function textOf(file: string): Promise<string> {
  const { size } = await stat(file)
  if (size > largest) throw new Error('The file is larger than any public key: give one key.')
  return await readFile(file, 'utf8')
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

function endOf(text: string, now: number): number {
  const time = moment.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw new Error('--until must be a time with its zone, such as 2026-05-04T12:00:00Z.')
  if (time <= now) throw new Error('--until has passed.')
  if (time > now + longestForeign)
    throw new Error(
      `--until may be a day ahead at most: ${new Date(now + longestForeign).toISOString()} at the latest.`,
    )
  return time
}
