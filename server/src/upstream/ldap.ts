/** Sign-in by a directory that speaks LDAP (RFC 4511, 4513): a search by the service account, then a bind. */
import { randomUUID } from 'node:crypto'
import type { Client, Entry } from 'ldapts'
import type { Store } from '../database/store.ts'
import { asserted, type Assertion } from './assertion.ts'
import type { Reaching } from './fetch.ts'
import { inTime, onConnection } from './ldap-connection.ts'
import {
  askedAttributes,
  binaryAttributes,
  isDisabled,
  signInNames,
  subjectAttributes,
  subjectOf,
  toldBy,
} from './ldap-entry.ts'
import { ldapTries, type Tries } from './ldap-tries.ts'
import { UpstreamRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'

/** The most time that it takes in all, ms. */
const timeout = 10_000
/** The longest name and password that a directory is asked about. */
const longest = 256

export interface LdapAttempt {
  name: string
  password: string
  /** The cookie of a browser that signed somebody in before: a known one has tries of its own. */
  device?: string | undefined
}

/**
 * The person whom the directory lets in. Throws `wrong_credentials` for an unknown name, a wrong password, a disabled
 * entry and any other that the directory does not let in: one answer, after the same two connections; `throttled` after
 * four wrong ones with a name, whoever it is of.
 */
export async function ldapAssertion(
  asking: Reaching & { store: Store },
  upstream: Upstream,
  attempt: LdapAttempt,
  now: number,
): Promise<Assertion> {
  const { name, password } = attempt
  // RFC 4513 §5.1.2: with an empty password a server may let anybody in, and with a NUL one that reads no further.
  if ([name, password].some((text) => text === '' || text.length > longest || text.includes('\0')))
    throw wrong('The name or the password is empty, too long or holds a NUL.')
  const { entry, subject } = await inTime(timeout, async (signal) => {
    const found = await onConnection(upstream, asking, signal, (client) => find(client, upstream, name))
    const subject = found && subjectOf(found, upstream)
    const tries = await ldapTries(asking.store, upstream, { ...attempt, entry: subject ?? found?.dn }, now)
    if (tries === 'over') throw new UpstreamRefusal('throttled', 'There were four wrong passwords.')
    // Unknown names, and those not to be tried, cost a bind too: of an entry that there can't be.
    const dn = found && tries.mayBind ? found.dn : `cn=${randomUUID()},${upstream.base}`
    const binds = await tried(tries, () =>
      onConnection(upstream, asking, signal, (client) => isBoundAs(client, dn, password)),
    )
    if (!binds || found === undefined || !tries.mayBind || isDisabled(found))
      throw wrong(found === undefined ? 'Nobody has that name.' : 'The directory does not let the entry in.')
    await tries.forget()
    return { entry: found, subject }
  })
  if (subject === undefined)
    throw new UpstreamRefusal('no_subject', `The entry has no ${subjectAttributes(upstream).join(' or ')}.`)
  return asserted(upstream, {
    subject,
    ...toldBy(entry, upstream),
    contexts: [],
    amr: [],
    auth_time: now,
    sid: undefined,
    id_token: undefined,
  })
}

const wrong = (detail: string) => new UpstreamRefusal('wrong_credentials', detail)

/** A password that was not looked at does not count. */
async function tried(tries: Tries, bind: () => Promise<boolean>): Promise<boolean> {
  try {
    return await bind()
  } catch (error) {
    await tries.takeBack()
    throw error
  }
}

/** The one entry with this name; undefined where there is none, or more than one. */
async function find(client: Client, upstream: Upstream, name: string): Promise<Entry | undefined> {
  const { EqualityFilter, OrFilter } = await import('ldapts')
  const base = await bindToSearch(client, upstream)
  // References to other servers come beside the entries, and nobody follows them.
  const { searchEntries } = await searched(
    client.search(base, {
      scope: 'sub',
      filter: new OrFilter({
        filters: signInNames.map((attribute) => new EqualityFilter({ attribute, value: name })),
      }),
      attributes: askedAttributes(upstream),
      explicitBufferAttributes: binaryAttributes(upstream),
    }),
  )
  const [entry, ...others] = searchEntries
  return entry === undefined || others.length > 0 || !entry.dn.includes('=') ? undefined : entry
}

/** Binds as the service account; yields where people are. */
export async function bindToSearch(client: Client, upstream: Upstream): Promise<string> {
  const { bind_dn: dn, secret, base } = upstream
  // ldapts takes the name of a SASL mechanism for one.
  if (dn === null || !/[=@\\]/.test(dn) || secret === undefined || secret === '')
    throw new UpstreamRefusal('client_refused', 'There is no bind_dn, or no password for it.')
  if (base === null || base === '') throw new UpstreamRefusal('documents', 'There is no base.')
  if (!(await isBoundAs(client, dn, secret)))
    throw new UpstreamRefusal('client_refused', 'The directory refuses bind_dn or its password.')
  return base
}

/** Whether the directory lets it in. Throws where it does not say. */
async function isBoundAs(client: Client, dn: string, password: string): Promise<boolean> {
  const { BusyError, ResultCodeError, UnavailableError } = await import('ldapts')
  try {
    await client.bind(dn, password)
    return true
  } catch (error) {
    const said = error instanceof ResultCodeError
    if (!said || error instanceof BusyError || error instanceof UnavailableError) throw error
    return false
  }
}

/** What a search yields. A referral instead of a result (RFC 4511 §4.1.10) is followed no more than others. */
export async function searched<T>(search: Promise<T>): Promise<T> {
  const { NoSuchObjectError, ResultCodeError } = await import('ldapts')
  try {
    return await search
  } catch (cause) {
    if (cause instanceof NoSuchObjectError)
      throw new UpstreamRefusal('documents', 'Nothing is at the base, or bind_dn must not see it.', { cause })
    if (cause instanceof ResultCodeError)
      throw new UpstreamRefusal('response', `The search ended with the code ${cause.code}.`, { cause })
    throw cause
  }
}

/** Whether it can be signed in by: a verified connection, the service account, the base. Throws `UpstreamRefusal`. */
export async function checkLdap(reaching: Reaching, upstream: Upstream): Promise<void> {
  subjectAttributes(upstream)
  await inTime(timeout, (signal) =>
    onConnection(upstream, reaching, signal, async (client) => {
      const base = await bindToSearch(client, upstream)
      await searched(client.search(base, { scope: 'base', attributes: ['1.1'] }))
    }),
  )
}
