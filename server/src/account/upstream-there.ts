/** The way to an upstream from a page of the account, and back: for a fresh proof, or to connect the two. */
import { record } from '../audit/record.ts'
import { newSecret } from '../protocol/identifier.ts'
import { requestOver } from '../protocol/refusals.ts'
import { sendPage } from '../pages/send-page.ts'
import { addressAt, activeUpstream, type KeptForUpstream } from '../sign-in/upstream.ts'
import { noteProblem, shownAs } from '../sign-in/upstream-failed.ts'
import { type FailedBecause, upstreamFailedPage } from '../sign-in/upstream-page.tsx'
import type { CameBack } from '../sign-in/upstream-routes.ts'
import { keepUpstreamRequest, type UpstreamRequestRow } from '../store/upstream-requests.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import type { Assertion } from '../upstream/assertion.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { encryptedForm, openedForm } from '../upstream/secrets.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { type AccountVisit, accountSignInPath, openAccount, originOf } from './visit.ts'

export type AccountPurpose = Extract<UpstreamRequestRow['purpose'], 'proof' | 'connect'>

/** A form of a page of the account, which goes on once something is proved. */
export interface KeptForm {
  path: string
  fields: Record<string, string>
}

/** The page where people type the name and password of a directory (LDAP). */
export const accountDirectoryPath = '/account/directory'

/** Leads the browser to the upstream, or to the page where its name and password are typed. */
export async function goThere(
  visit: AccountVisit,
  uuid: string,
  { purpose, form }: { purpose: AccountPurpose; form?: KeptForm },
): Promise<unknown> {
  const { service, reply, session, browser, page } = visit
  const kept = form && encryptedForm(JSON.stringify(form), session.sid, service.settings.secret)
  const about = { about: session.sid, purpose }
  try {
    const upstream = await activeUpstream(service, uuid)
    if (upstream.kind === 'ldap') {
      const state = newSecret()
      const request = { ...about, upstream_uuid: uuid, state, browser, data: { form: kept } }
      await keepUpstreamRequest(service.store, { ...request, now: service.now() })
      return reply.redirect(`${accountDirectoryPath}?state=${state}`, 303)
    }
    const prompt = purpose === 'proof' ? 'login' : 'select_account'
    const going = { ...about, browser, prompt, form: kept, uiLocales: page.locale } as const
    return reply.redirect(await addressAt(service, upstream, going), 303)
  } catch (error) {
    if (error instanceof UpstreamRefusal) return await failThere(visit, { uuid, purpose }, error)
    throw error
  }
}

/** What goes on by what an upstream proved to a page of the account. */
export type Came = (
  visit: AccountVisit,
  proved: { upstream: Upstream; assertion: Assertion; form: KeptForm | undefined },
) => Promise<unknown>

/**
 * A browser that comes back. Throws `request_expired` where another session is signed in by now: what was asked for one
 * counts for no other.
 */
export const cameBack =
  (purpose: AccountPurpose, came: Came) =>
  async ({ service, request, reply, taken, proved }: CameBack): Promise<unknown> => {
    const visit = await openAccount(service, request, reply, accountSignInPath)
    if (visit === undefined) throw requestOver()
    return await goOnWith(visit, { taken, purpose, proved, came })
  }

/** Goes on with what was taken: of this session alone. */
export async function goOnWith(
  visit: AccountVisit,
  asked: {
    taken: UpstreamRequestRow
    purpose: AccountPurpose
    proved: (upstream: Upstream) => Promise<Assertion>
    came: Came
  },
): Promise<unknown> {
  const { service, session } = visit
  const { taken, purpose, proved, came } = asked
  if (taken.about !== session.sid) throw requestOver()
  try {
    const upstream = await activeUpstream(service, taken.upstream_uuid)
    const assertion = await proved(upstream)
    return await came(visit, { upstream, assertion, form: formOf(visit, taken) })
  } catch (error) {
    if (error instanceof UpstreamRefusal)
      return await failThere(visit, { uuid: taken.upstream_uuid, purpose }, error)
    throw error
  }
}

function formOf({ service, session }: AccountVisit, { data }: UpstreamRequestRow): KeptForm | undefined {
  const { form } = JSON.parse(data) as Pick<KeptForUpstream, 'form'>
  const { secret, previousSecret } = service.settings
  const text = form === undefined ? undefined : openedForm(form, session.sid, [secret, previousSecret])
  return text === undefined ? undefined : (JSON.parse(text) as KeptForm)
}

type Because = Extract<FailedBecause, 'other_person' | 'untimed' | 'taken' | 'needed' | 'disabled'>

/** Ends it on a page that names the upstream, and records why. */
export async function failThere(
  visit: AccountVisit,
  { uuid, purpose }: { uuid: string; purpose: AccountPurpose },
  why: UpstreamRefusal | Because,
): Promise<unknown> {
  const { service, request, reply, page } = visit
  const upstream = (await upstreamsNow(service.store)).byUuid.get(uuid)
  await recordThere(visit, { uuid, purpose }, why)
  if (typeof why !== 'string') await noteProblem(service, uuid, why)
  const because = typeof why === 'string' ? why : shownAs[why.code]
  const shown = { name: upstream?.name ?? '', because, requestId: request.id, back: accountSignInPath }
  const html = upstreamFailedPage({ ...page, ...shown })
  return sendPage(reply, html, { status: because === 'unreachable' ? 502 : 403 })
}

/** Records why nothing was proved or connected, where the upstream's organisation finds it. */
export async function recordThere(
  visit: AccountVisit,
  { uuid, purpose }: { uuid: string; purpose: AccountPurpose },
  why: UpstreamRefusal | Because,
): Promise<void> {
  const { service, session } = visit
  const upstream = (await upstreamsNow(service.store)).byUuid.get(uuid)
  const [reason, text] = typeof why === 'string' ? [why, undefined] : [why.code, why.message]
  await record(service.store, {
    at: service.now(),
    kind: purpose === 'connect' ? 'link.refused' : 'sign_in.failed',
    ...originOf(visit),
    target: { kind: 'upstream', id: uuid },
    user_uuid: session.user_uuid,
    ...(upstream?.organisation_uuid && { organisation_uuid: upstream.organisation_uuid }),
    detail: { reason: `upstream_${reason}`, ...(text !== undefined && { text }) },
  })
}
