import Table from 'cli-table3'
import { Command } from 'commander'
import { shownKey } from '../admin/keys.ts'
import { KeyRing } from '../keys/key-ring.ts'
import { keyTimes } from '../keys/key-times.ts'
import { reencryptAll } from '../keys/reencrypt.ts'
import { readSettings } from '../settings.ts'
import { allKeys, type StoredKey } from '../store/signing-keys.ts'
import { commandOrigin } from './origin.ts'
import { withStore } from './with-store.ts'
import { print, type World } from './world.ts'

/** `tessera keys`: the keys that sign tokens. */
export function keysCommand(world: World): Command {
  return new Command('keys')
    .alias('key')
    .description('See, rotate and re-encrypt the keys that sign tokens.')
    .addCommand(listCommand(world))
    .addCommand(rotateCommand(world))
    .addCommand(reencryptCommand(world))
    .addHelpText('after', '\nExample:\n  $ tessera keys list')
}

function listCommand(world: World): Command {
  return new Command('list')
    .description('List the keys, oldest first, with what each is doing.')
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  $ tessera keys list\n  $ tessera keys list --json | jq -r '.items[].kid'",
    )
    .action(async ({ json }: { json?: boolean }) => {
      const now = Date.now()
      const keys = await withStore(world, (store) => allKeys(store))
      const told = keys.map((key, index) => describe(key, successorOf(key, keys.slice(index + 1)), now))
      if (json) return print(world, JSON.stringify({ items: told, next_cursor: null }, null, 2))
      const table = new Table({
        head: ['kid', 'alg', 'state', 'signs from', 'published until'],
        style: { head: [], border: [] },
      })
      for (const key of told) {
        table.push([key.kid, key.alg, key.state, key.signs_from, key.published_until ?? '–'])
      }
      print(world, table.toString())
    })
}

const successorOf = ({ alg }: StoredKey, later: readonly StoredKey[]) => later.find((one) => one.alg === alg)

function describe(key: StoredKey, successor: StoredKey | undefined, now: number) {
  const over = key.publishedUntil !== undefined && key.publishedUntil <= now
  const succeeded = successor !== undefined && successor.signsFrom <= now
  const state = over
    ? 'retired'
    : key.signsFrom > now
      ? 'published, signs later'
      : succeeded
        ? 'verifies'
        : 'signs'
  return { ...shownKey(key), state }
}

function rotateCommand(world: World): Command {
  return new Command('rotate')
    .description(
      'Add a key of each algorithm. It is published at once and signs when every verifier has had time to fetch it.',
    )
    .addHelpText(
      'after',
      '\nRunning services learn of it within a minute.\n\nExample:\n  $ tessera keys rotate',
    )
    .action(async () => {
      const settings = readSettings(world.environment)
      const added = await withStore(world, async (store) => {
        const longestTokenLife = Math.max(settings.lifetimes.accessToken, keyTimes.longestClientToken)
        const ring = await KeyRing.open({ store, ...settings, now: Date.now, longestTokenLife })
        const kids = await ring.rotate(commandOrigin())
        return (await allKeys(store)).filter((one) => kids.includes(one.kid))
      })
      for (const { kid, alg, signsFrom } of added) {
        // Later than usual when the keys before them do not sign yet: they take their turns.
        const minutes = Math.ceil((signsFrom - Date.now()) / 60_000)
        const from = new Date(signsFrom).toISOString()
        print(world, `${kid} (${alg}) is published now, and signs from ${from} on, in ${minutes} minutes.`)
      }
    })
}

function reencryptCommand(world: World): Command {
  return new Command('reencrypt')
    .description(
      'Encrypt the private keys and the secrets of webhooks with TESSERA_SECRET; TESSERA_SECRET_PREVIOUS opens the old ones.',
    )
    .addHelpText('after', '\nExample:\n  $ TESSERA_SECRET_PREVIOUS=… TESSERA_SECRET=… tessera keys reencrypt')
    .action(async () => {
      const settings = readSettings(world.environment)
      const { keys, webhookSecrets } = await withStore(world, (store) =>
        reencryptAll(store, settings, { now: Date.now(), by: commandOrigin() }),
      )
      const also = webhookSecrets === 0 ? '' : ` and ${webhookSecrets} secrets of webhooks`
      print(
        world,
        `${keys} keys${also} are encrypted with TESSERA_SECRET. TESSERA_SECRET_PREVIOUS can be removed.`,
      )
    })
}
