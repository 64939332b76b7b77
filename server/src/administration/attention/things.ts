import { sql } from 'kysely'
import { lastVerified } from '../../audit/verification.ts'
import { allKeys } from '../../keys/kept-keys.ts'
import { builtInPattern } from '../../protocol/built-in-clients.ts'
import { keyFields, secretMethods } from '../../protocol/client-type.ts'
import { idsBefore } from '../../protocol/identifier.ts'
import { isOfOwner, isRegistered } from '../../store/refused-addresses.ts'
import type { Authority } from '../authority.ts'
import { registeredOf } from '../clients/refused-addresses.ts'
import { day, type Finder, type Finding, mostFound } from './finder.ts'

const hour = day / 24

const isInstallation = ({ reach }: Authority): boolean => reach.organisation_uuid === undefined

/** The SQL condition that a client or webhook, read as `owned`, is within the reach. A unit owns none. */
export function ownedWithin({ reach: { organisation_uuid, unit_uuid } }: Authority) {
  if (unit_uuid !== undefined) return sql<boolean>`1 = 0`
  if (organisation_uuid === undefined) return sql<boolean>`1 = 1`
  return sql<boolean>`owned.organisation_uuid = ${organisation_uuid}`
}

export const overdueKeys: Finder = async ({ store, settings }, { authority, now }) => {
  if (!isInstallation(authority)) return []
  const newest = new Map((await allKeys(store)).map((key) => [key.alg, key]))
  // The service looks each minute.
  const overdue = [...newest.values()].filter((key) => key.signs_from + settings.keyRotation + hour < now)
  return overdue.map(({ kid: id, alg: name, signs_from }) => ({
    target: { kind: 'signing_key', id, name },
    since: signs_from + settings.keyRotation,
  }))
}

/** What was last found of the audit is told to those who may read all of it. */
export const brokenAudit: Finder = async ({ store }, { authority }) => {
  if (!isInstallation(authority)) return []
  const { state, last } = await lastVerified(store)
  if (state === 'never' || state === 'whole') return []
  return [{ target: { kind: 'audit', id: 'chain', name: 'The audit' }, since: last?.at ?? null }]
}

/** Clients whose every secret has ended or will soon; those that prove themselves by keys need none. */
export const endingSecrets: Finder = async ({ store: { db } }, { authority, now }) => {
  const soon = now + 30 * day
  const rows = await db
    .selectFrom('client_secrets as s')
    .innerJoin('clients as owned', 'owned.client_id', 's.client_id')
    .select((row) => ['owned.client_id', 'owned.client_name', row.fn.max<number>('s.expires_at').as('ends')])
    .where('s.expires_at', '<=', soon)
    .where('owned.active', '=', 1)
    .where((of) =>
      of.or([
        of('owned.token_endpoint_auth_method', 'in', secretMethods),
        of.and(keyFields.map((field) => of(`owned.${field}`, 'is', null))),
      ]),
    )
    .where(ownedWithin(authority))
    .where(
      sql<boolean>`not exists (select 1 from client_secrets as other
        where other.client_id = s.client_id and (other.expires_at is null or other.expires_at > ${soon}))`,
    )
    .groupBy(['owned.client_id', 'owned.client_name'])
    .orderBy('ends')
    .limit(mostFound + 1)
    .execute()
  return rows.map(({ client_id: id, client_name: name, ends }) => ({
    target: { kind: 'client', id, name },
    since: Number(ends),
  }))
}

/** Upstreams whose secret there has ended or will soon, as somebody has said when it does. */
export const endingUpstreams: Finder = async ({ store: { db } }, { authority, now }) => {
  const rows = await db
    .selectFrom('upstreams as owned')
    .select(['uuid', 'name', 'secret_expires_at'])
    .where('secret_expires_at', '<=', now + 30 * day)
    .where('active', '=', 1)
    .where(ownedWithin(authority))
    .orderBy('secret_expires_at')
    .limit(mostFound + 1)
    .execute()
  return rows.map(({ uuid: id, name, secret_expires_at: since }) => ({
    target: { kind: 'upstream', id, name },
    since,
  }))
}

/** Upstreams whose documents can't be fetched, or whose last sign-ins failed by what is set up there or here. */
export const failingUpstreams: Finder = async ({ store: { db } }, { authority }) => {
  const rows = await db
    .selectFrom('upstream_states as state')
    .innerJoin('upstreams as owned', 'owned.uuid', 'state.upstream_uuid')
    .select(['owned.uuid', 'owned.name', 'state.problem', 'state.failing_since'])
    .where((row) =>
      row.or([row('state.problem', 'is not', null), row('state.failing_since', 'is not', null)]),
    )
    .where('owned.active', '=', 1)
    .where(ownedWithin(authority))
    .orderBy('owned.uuid')
    .limit(mostFound + 1)
    .execute()
  return rows.map(({ uuid: id, name, problem, failing_since: since }) => ({
    target: { kind: 'upstream', id, name: problem === null ? name : `${name}: ${problem}` },
    since,
  }))
}

/** More rows are not looked at, however many have been registered since. */
const mostRefused = 200

/** Clients that wanted to return to an address that is not registered. */
export const refusedAddresses: Finder = async ({ store: { db } }, { authority, now }) => {
  const rows = await db
    .selectFrom('refused_addresses as r')
    .innerJoin('clients as owned', 'owned.client_id', 'r.client_id')
    .selectAll('owned')
    .select(['r.at', 'r.field', 'r.address'])
    .where('r.expires_at', '>', now)
    .where('owned.client_id', 'not like', builtInPattern)
    .where(isOfOwner('r', 'owned'))
    .where('owned.active', '=', 1)
    .where(ownedWithin(authority))
    .orderBy('r.at', 'desc')
    .limit(mostRefused)
    .execute()
  const missing = rows.filter(
    (row) => !isRegistered(registeredOf(row), { field: row.field, came: row.address ?? undefined }),
  )
  const latest = new Map<string, (typeof missing)[number]>()
  for (const row of missing) if (!latest.has(row.client_id)) latest.set(row.client_id, row)
  return [...latest.values()]
    .slice(0, mostFound + 1)
    .map(({ client_id: id, client_name: name, at: since }) => ({
      target: { kind: 'client', id, name },
      since,
    }))
}

export const weakenedClients: Finder = async ({ store: { db } }, { authority }) => {
  const rows = await db
    .selectFrom('clients as owned')
    .select(['client_id', 'client_name'])
    .where('active', '=', 1)
    .where(sql<boolean>`(require_nonce = 0 or require_state = 0 or require_pkce = 0)`)
    .where(ownedWithin(authority))
    .orderBy('client_id')
    .limit(mostFound + 1)
    .execute()
  return rows.map(({ client_id: id, client_name: name }) => ({
    target: { kind: 'client', id, name },
    since: null,
  }))
}

/** Webhooks to which nothing was delivered since a delivery was given up, or where one has waited for an hour. */
export const failingWebhooks: Finder = async ({ store: { db } }, { authority, now }) => {
  const lastOf = (state: string) =>
    sql<number>`coalesce((select max(sequence) from webhook_deliveries
      where webhook_uuid = owned.uuid and state = ${state}), 0)`
  const waiting = sql<number | null>`(select created_at from webhook_deliveries
    where webhook_uuid = owned.uuid and state = 'pending' order by sequence limit 1)`
  const ended = sql<number | null>`(select ended_at from webhook_deliveries
    where webhook_uuid = owned.uuid and state = 'dead' order by sequence desc limit 1)`
  const rows = await db
    .selectFrom('webhooks as owned')
    .select(['uuid', 'url', 'description'])
    .select([waiting.as('waiting'), ended.as('ended')])
    .where('active', '=', 1)
    .where(ownedWithin(authority))
    .where(
      sql<boolean>`(${waiting} < ${now - hour} or (${lastOf('dead')} > ${lastOf('delivered')}
        and ${ended} > ${now - 7 * day}))`,
    )
    .orderBy('uuid')
    .limit(mostFound + 1)
    .execute()
  return rows.map(({ uuid: id, url, description, waiting, ended }) => ({
    target: { kind: 'webhook', id, name: description || url },
    since: ended ?? waiting,
  }))
}

/** The last mail that was given up within a week, and the first that has waited for an hour. */
export const failingMails: Finder = async ({ store: { db } }, { authority, now }) => {
  if (!isInstallation(authority)) return []
  const mails = db.selectFrom('mails').select(['id', 'recipient', 'created_at', 'ended_at'])
  const dead = await mails
    .where('state', '=', 'dead')
    .where('ended_at', '>', now - 7 * day)
    .orderBy('id', 'desc')
    .limit(1)
    .execute()
  const late = await mails
    .where('state', '=', 'waiting')
    .where('id', '<', idsBefore(now - hour))
    .where('attempts', '>', 0)
    .orderBy('id')
    .limit(1)
    .execute()
  return [...dead, ...late].map(
    ({ id, recipient: name, created_at, ended_at }): Finding => ({
      target: { kind: 'mail', id, name },
      since: ended_at ?? created_at,
    }),
  )
}
