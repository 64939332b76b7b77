import { settled } from '../audit/link.ts'
import { type AuditRecord, listAudit } from '../audit/read.ts'
import { record } from '../audit/record.ts'
import { sendPage } from '../pages/send-page.ts'
import { personClaims } from '../protocol/claims.ts'
import { lastSignInOf } from '../store/last-sign-in.ts'
import { factorsOf, recoveryCodesLeft } from '../store/factors.ts'
import { addToLimit } from '../store/limits.ts'
import { consentsOf } from '../store/own-access.ts'
import { liveSessionsOf } from '../store/person-sessions.ts'
import { trustedDevicesOf } from '../store/trusted-devices.ts'
import type { Profile } from '../store/users.ts'
import { dataPage as page } from './data-page.tsx'
import type { AccountPage } from './page.ts'
import { type AccountVisit, originOf } from './visit.ts'

export const dataPath = '/account/data'

/** What is known of somebody, for them to take along. */
export const dataPage: AccountPage = { path: dataPath, show: (visit) => show(visit), actions: { download } }

function show(visit: AccountVisit, minutes?: number): unknown {
  const html = page({ ...visit.page, minutes })
  return sendPage(visit.reply, html, { status: minutes === undefined ? 200 : 429 })
}

const hour = 3_600_000

/** Once an hour: it reads a lot. Concurrency: of several at once one is answered. */
async function download(visit: AccountVisit): Promise<unknown> {
  const { service, reply, session } = visit
  const { user_uuid } = session
  const now = service.now()
  const { count, expiresAt } = await addToLimit(service.store, `download ${user_uuid}`, {
    by: 1,
    now,
    window: hour,
  })
  if (count > 1) {
    reply.header('retry-after', String(Math.ceil((expiresAt - now) / 1000)))
    return show(visit, Math.ceil((expiresAt - now) / 60_000))
  }
  const target = { kind: 'user', id: user_uuid }
  await record(service.store, { at: now, kind: 'account.downloaded', ...originOf(visit), target })
  const known = await everythingOf(visit)
  return reply
    .header('cache-control', 'no-store')
    .header('content-disposition', 'attachment; filename="account.json"')
    .type('application/json; charset=utf-8')
    .send(`${JSON.stringify(known, null, 2)}\n`)
}

const at = (time: number | null | undefined) =>
  typeof time === 'number' ? new Date(time).toISOString() : undefined

const shownProfile = (one: Profile) => ({
  profileUuid: one.held_uuid,
  roleCode: one.role_code,
  organisationUuid: one.organisation_uuid ?? undefined,
  unitUuid: one.unit_uuid ?? undefined,
  roleName: one.role_name,
  organisationCode: one.organisation_code ?? undefined,
  organisationName: one.organisation_name ?? undefined,
  unitCode: one.unit_code ?? undefined,
  unitName: one.unit_name ?? undefined,
  until: at(one.held_until),
})

/** Everything but secrets and hashes. */
async function everythingOf({ service, session }: AccountVisit): Promise<object> {
  const { store } = service
  const { user_uuid, user, profiles } = session
  return {
    issuer: service.issuer,
    person: {
      uuid: user.uuid,
      // All that the scopes tell of them.
      ...personClaims(user, ['email', 'profile']),
      preferred_username: user.preferred_username ?? undefined,
      updated_at: at(user.updated_at),
      active: user.active === 1,
      secondFactor: user.second_factor === 1,
      enrolmentRequired: user.enrolment_required === 1,
      passwordTemporary: user.password_temporary === 1,
      hasPassword: user.password_hash !== null,
      lastSignInOn: (await lastSignInOf(store, user_uuid)) || undefined,
    },
    profiles: profiles.map(shownProfile),
    factors: (await factorsOf(store, user_uuid)).map(({ kind, name, createdAt, lastUsedAt }) => ({
      kind,
      name,
      createdAt: at(createdAt),
      lastUsedAt: at(lastUsedAt),
    })),
    recoveryCodesLeft: await recoveryCodesLeft(store, user_uuid),
    trustedBrowsers: (await trustedDevicesOf(store, user_uuid)).map(({ label, provedAt }) => ({
      label,
      since: at(provedAt),
    })),
    sessions: (await liveSessionsOf(store, user_uuid, service.now())).map(
      ({ browser, network, createdAt, lastSeenAt }) => ({
        browser,
        network,
        createdAt: at(createdAt),
        lastSeenAt: at(lastSeenAt),
      }),
    ),
    consents: (await consentsOf(store, user_uuid)).map(({ client_id, grantedAt, allowance }) => ({
      clientId: client_id,
      grantedAt: at(grantedAt),
      ...allowance,
    })),
    audit: await auditOf(service, user_uuid),
  }
}

const pageOfAudit = 1000
/** The newest; more than a person makes in years. */
const mostRecords = 10_000

async function auditOf({ store }: AccountVisit['service'], user_uuid: string): Promise<object[]> {
  await settled(store)
  const all: AuditRecord[] = []
  for (;;) {
    const before = all.at(-1)?.sequence
    const some = await listAudit(store, { user: user_uuid }, { before, limit: pageOfAudit })
    all.push(...some)
    if (some.length < pageOfAudit || all.length >= mostRecords) break
  }
  return all.map((one) => shownOf(one, user_uuid))
}

/** What others did is told without who they are, and without what they saw of the service. */
function shownOf(one: AuditRecord, user_uuid: string): object {
  const { sequence, at, kind, actor, client_id, target } = one
  const told = { sequence, at, kind, actor: { kind: actor.kind }, clientId: client_id, target }
  if (actor.kind !== 'anonymous' && actor.id !== user_uuid) return told
  const { address, before, after, detail } = one
  return { ...told, actor, address, before, after, detail }
}
