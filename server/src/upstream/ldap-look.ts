/** What a directory says of those who are linked to it (decisions 24). */
import type { Client, Entry } from 'ldapts'
import { chunksOf } from '../database/chunks.ts'
import { bindToSearch, searched } from './ldap.ts'
import type { Reaching } from './fetch.ts'
import { inTime, onConnection } from './ldap-connection.ts'
import {
  binaryAttributes,
  guidBytes,
  isDisabled,
  isGuid,
  lookedAt,
  signInNames,
  subjectAttributes,
  subjectOf,
} from './ldap-entry.ts'
import { UpstreamRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'

export type LookState = 'active' | 'disabled' | 'gone'

const timeout = 60_000
/** Entries asked for at once: servers cut longer answers off, slapd at 500 and Active Directory at 1000. */
const atOnce = 100

/** What the directory has of each of these. Throws `UpstreamRefusal` where that can't be believed: a search fails, or finds nobody at all. */
export async function ldapLook(
  reaching: Reaching,
  upstream: Upstream,
  subjects: readonly string[],
  stopping?: AbortSignal,
): Promise<Map<string, LookState>> {
  const look = (signal: AbortSignal) =>
    onConnection(upstream, reaching, signal, async (client) => {
      const base = await bindToSearch(client, upstream)
      const seen = new Map<string, LookState>(subjects.map((one) => [one, 'gone']))
      for (const some of chunksOf(subjects, atOnce))
        for (const entry of await entriesOf(client, base, upstream, some)) {
          const subject = subjectOf(entry, upstream)
          if (subject !== undefined && seen.has(subject))
            seen.set(subject, isDisabled(entry) ? 'disabled' : 'active')
        }
      if (![...seen.values()].some((one) => one !== 'gone')) await expectAnybody(client, base, upstream)
      return seen
    })
  return await inTime(timeout, look, stopping)
}

async function entriesOf(
  client: Client,
  base: string,
  upstream: Upstream,
  subjects: readonly string[],
): Promise<Entry[]> {
  const { EqualityFilter, OrFilter } = await import('ldapts')
  const filters = subjects.flatMap((subject) =>
    subjectAttributes(upstream).flatMap((attribute) => {
      const value = isGuid(attribute) ? guidBytes(subject) : subject
      return value === undefined ? [] : [new EqualityFilter({ attribute, value })]
    }),
  )
  const { searchEntries } = await searched(
    client.search(base, {
      scope: 'sub',
      filter: new OrFilter({ filters }),
      attributes: lookedAt(upstream),
      explicitBufferAttributes: binaryAttributes(upstream),
    }),
  )
  return searchEntries
}

/** A directory that was emptied, or that no longer shows its people, looks as if all had left. */
async function expectAnybody(client: Client, base: string, { bind_dn: own }: Upstream): Promise<void> {
  const { OrFilter, PresenceFilter } = await import('ldapts')
  const filters = signInNames.map((attribute) => new PresenceFilter({ attribute }))
  const { searchEntries } = await searched(
    client.search(base, {
      scope: 'sub',
      filter: new OrFilter({ filters }),
      attributes: ['1.1'],
      sizeLimit: 2,
    }),
  )
  if (!searchEntries.some(({ dn }) => dn.toLowerCase() !== own?.toLowerCase()))
    throw new UpstreamRefusal('response', 'The search finds nobody at all.')
}

/** Somebody who is linked, and whether this upstream has suspended them. */
export interface Linked {
  subject: string
  user_uuid: string
  suspended: boolean
}

export interface LookDecision {
  /** The uuids of people. */
  suspend: string[]
  restore: string[]
  /** How many are gone at once, where that is too many to be believed: then nothing ends. */
  tooMany: number | undefined
}

/**
 * People to suspend, and people to restore. Where over a tenth and more than five are gone that were there before,
 * nobody is suspended.
 */
export function lookDecision(linked: readonly Linked[], seen: ReadonlyMap<string, LookState>): LookDecision {
  const uuids = (state: (one: LookState | undefined) => boolean, suspended: boolean) =>
    linked
      .filter((one) => one.suspended === suspended && state(seen.get(one.subject)))
      .map(({ user_uuid }) => user_uuid)
  const counting = linked.filter(({ suspended }) => !suspended).length
  const gone = uuids((one) => one === 'gone', false).length
  const tooMany = gone > 5 && gone * 10 > counting
  return {
    suspend: tooMany ? [] : uuids((one) => one === 'gone' || one === 'disabled', false),
    restore: uuids((one) => one === 'active', true),
    tooMany: tooMany ? gone : undefined,
  }
}
