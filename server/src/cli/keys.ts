import { Command } from 'commander'
import { shownKey } from '../administration/keys.ts'
import { KeyRing } from '../keys/key-ring.ts'
import { keyTimes, longestTokenLife } from '../keys/key-times.ts'
import { reencryptAll } from '../background/reencrypt.ts'
import { readSettings } from '../settings.ts'
import { allKeys, type StoredKey } from '../keys/kept-keys.ts'
import { type Context, print, printJson } from './context.ts'
import { foreignOnes, importPublicCommand, withdrawPublicCommand } from './keys-foreign.ts'
import { printTable } from './show.ts'
import { commandOrigin, withStore } from './with-store.ts'

/** `tessera keys`: the keys that sign tokens. */
export function keysCommand(context: Context): Command {
  return new Command('keys')
    .alias('key')
    .description('See, rotate and re-encrypt the keys that sign tokens.')
    .addCommand(listCommand(context))
    .addCommand(rotateCommand(context))
    .addCommand(reencryptCommand(context))
    .addCommand(importPublicCommand(context))
    .addCommand(withdrawPublicCommand(context))
    .addHelpText('after', '\nExample:\n  $ tessera keys list')
}

function listCommand(context: Context): Command {
  return new Command('list')
    .description(
      'List the keys, oldest first, with what each is doing, and those of other services after them.',
    )
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  $ tessera keys list\n  $ tessera keys list --json | jq -r '.items[].kid'",
    )
    .action(async ({ json }: { json?: boolean }) => {
      const now = Date.now()
      const { keys, foreign } = await withStore(context, async (store) => ({
        keys: await allKeys(store),
        foreign: await foreignOnes(store, now),
      }))
      const ours = keys.map((key, index) => describe(key, successorOf(key, keys.slice(index + 1)), now))
      const told = [...ours, ...foreign]
      if (json) return printJson(context, { items: told, next_cursor: null })
      printTable(context, told, ['kid', 'alg', 'state', 'signs_from', 'published_until'])
    })
}

const successorOf = ({ alg }: StoredKey, later: readonly StoredKey[]) => later.find((one) => one.alg === alg)

function describe(key: StoredKey, successor: StoredKey | undefined, now: number) {
  const over = key.published_until !== null && key.published_until <= now
  const succeeded = successor !== undefined && successor.signs_from <= now
  const state = over
    ? 'retired'
    : key.signs_from > now
      ? 'published, signs later'
      : succeeded
        ? 'verifies'
        : 'signs'
  return { ...shownKey(key), state }
}

function rotateCommand(context: Context): Command {
  return new Command('rotate')
    .description(
      'Add a key of each algorithm. It is published at once and signs when every verifier has had time to fetch it.',
    )
    .option('--now', 'let the new keys sign at once, which breaks verifiers that keep the key set')
    .addHelpText(
      'after',
      `
It says when the new keys are published, when they begin to sign, and when those before them leave the key set.
Running services follow within ${seconds(keyTimes.look)}.
How long they wait is TESSERA_KEY_LEAD, a day by default.

--now is for an emergency. The new keys sign in ${keyTimes.leadNow / 1000} seconds, when every process publishes them, and keys
that still wait never sign. It breaks every verifier that keeps the key set and does not ask for a key that it does not
know: it refuses new tokens until it fetches the set, which takes ${minutes(keyTimes.jwksCache)} minutes where the set is kept as long as it may
be, and hours at some gateways. It takes back no key: tokens that the keys before them signed count on.

Examples:
  $ tessera keys rotate
  $ tessera keys rotate --now`,
    )
    .action(async ({ now }: { now?: boolean }) => {
      const settings = readSettings(context.environment)
      const { added, keys } = await withStore(context, async (store) => {
        const ring = await KeyRing.open({
          store,
          ...settings,
          now: Date.now,
          longestTokenLife: longestTokenLife(settings),
        })
        const at = now === true ? 'once' : 'turn'
        return { added: await ring.rotate(commandOrigin(), at), keys: await allKeys(store) }
      })
      sayRotated(context, keys, added)
      if (now === true) sayBroken(context)
    })
}

function sayRotated(context: Context, keys: readonly StoredKey[], added: readonly string[]): void {
  const now = Date.now()
  for (const { kid, alg, signs_from: signsFrom } of keys) {
    if (!added.includes(kid)) continue
    // Later than usual when the keys before them do not sign yet.
    print(
      context,
      `${kid} (${alg}) is published now, and signs from ${iso(signsFrom)} on, in ${inWords(signsFrom - now)}.`,
    )
  }
  const fetched = iso(now + keyTimes.look + keyTimes.jwksCache)
  print(
    context,
    `Running services publish them within ${seconds(keyTimes.look)}; verifiers that keep the key set as long as they may have them by ${fetched}.`,
  )
  for (const { kid, alg, published_until: publishedUntil } of keys) {
    if (publishedUntil !== null && publishedUntil > now)
      print(context, `${kid} (${alg}) came before; it leaves the key set at ${iso(publishedUntil)}.`)
  }
}

function sayBroken(context: Context): void {
  print(
    context,
    `Until it fetches the key set again, a verifier that does not ask for a key that it does not know refuses every new token: ${minutes(keyTimes.jwksCache)} minutes at the most if it keeps the set as long as it may, hours at some gateways. Make those fetch it now. The keys before are not taken back.`,
  )
}

const minutes = (milliseconds: number) => Math.ceil(milliseconds / 60_000)

function inWords(milliseconds: number): string {
  const count = minutes(milliseconds)
  return count < 120 ? `${count} minute${count === 1 ? '' : 's'}` : `${Math.ceil(count / 60)} hours`
}

const iso = (time: number) => new Date(time).toISOString()
const seconds = (milliseconds: number) => `${milliseconds / 1000} seconds`

function reencryptCommand(context: Context): Command {
  return new Command('reencrypt')
    .description(
      'Encrypt the private keys, the key of the audit, the secrets of webhooks, second factors and upstreams and mails that wait with TESSERA_SECRET; TESSERA_SECRET_PREVIOUS opens the old ones.',
    )
    .addHelpText('after', '\nExample:\n  $ TESSERA_SECRET_PREVIOUS=… TESSERA_SECRET=… tessera keys reencrypt')
    .action(async () => {
      const settings = readSettings(context.environment)
      const { keys, webhookSecrets, factors, upstreams, mails } = await withStore(context, (store) =>
        reencryptAll(store, settings, { now: Date.now(), by: commandOrigin() }),
      )
      const also = [
        ...(webhookSecrets === 0 ? [] : [`, ${webhookSecrets} secrets of webhooks`]),
        ...(factors === 0 ? [] : [`, ${factors} secrets of second factors`]),
        ...(upstreams === 0 ? [] : [`, ${upstreams} secrets of upstreams`]),
        ...(mails === 0 ? [] : [`, ${mails} mails`]),
      ].join('')
      print(
        context,
        `${keys} keys${also} and the key of the audit are encrypted with TESSERA_SECRET. TESSERA_SECRET_PREVIOUS can be removed.`,
      )
    })
}
