import { hash } from 'node:crypto'
import { allowanceAsked } from '../identity/consent.ts'
import { type Allowance, beyond, isNothing } from '../protocol/allowance.ts'
import { documentHost } from '../protocol/client-document.ts'
import { iamService, isPermission, serviceOf } from '../protocol/permission.ts'
import { redirectPlace } from '../protocol/redirect-uri.ts'
import { reachOfNew } from '../identity/reach.ts'
import { sendPage } from '../pages/send-page.ts'
import type { Service } from '../service.ts'
import { answerStep } from '../store/authorization-requests.ts'
import type { Store } from '../database/store.ts'
import type { Client } from '../store/clients.ts'
import { allServices } from '../store/services.ts'
import { clientBranding } from '../store/brandings.ts'
import { findConsentOf, rememberConsent } from '../store/consents.ts'
import { permissionsOfService } from '../store/permissions.ts'
import type { User } from '../store/users.ts'
import { consentPage, type ConsentPageProps, type ConsentService } from './consent-page.tsx'
import { denied, goOn, type SignInStep } from './step.ts'

export interface ConsentAsked {
  user: User
  asked: Allowance
  before: Allowance | undefined
  /** How far the proofs reach that it is asked of; undefined: everywhere. */
  reach: string | undefined
}

/** A person allows a client that is not first-party what it asks for. */
export const consent: SignInStep<ConsentAsked> = {
  path: '/consent',
  withoutPage: ['consent_required', 'The user has to give consent.'],

  async missing(service, { asked: { client, ...request }, progress, session, profiles }) {
    // A device has a page of its own.
    if (session === undefined || client.first_party || request.device !== undefined) return undefined
    // Consent in a trial counts for that alone.
    if (request.trial !== undefined && progress.consented === 1) return undefined
    const { user } = session
    const asked = await allowanceAsked(service, client, { ...request, profiles })
    const reach = await reachOfNew(service.store, session)
    const before = await findConsentOf(service.store, user.uuid, client.client_id, reach)
    // `prompt=consent` asks once per request, also for what was allowed before; a document is asked about each time.
    const isAskedAgain = request.prompt.includes('consent') || client.document !== undefined
    const again = isAskedAgain && progress.consented !== 1
    return again || !isNothing(beyond(asked, before)) ? { user, asked, before, reach } : undefined
  },

  async show({ service, reply, client, pending, page }, missing) {
    const html = consentPage({
      ...page,
      clientUri: client.client_uri,
      ...(await clientBranding(service.store, client.client_id)),
      accountName: missing.user.name,
      ...shownOf(missing),
      ...(await shownServices(service, missing)),
      redirectPlace: redirectPlace(pending.redirect_uri),
      ...documentShown(client, pending.redirect_uri),
      hidden: { account: missing.user.uuid, shown: shownDigest(client, missing.asked) },
    })
    return sendPage(reply, html, { leadsAway: true })
  },

  async submit(visit, missing) {
    const { service, request, client, pending, form } = visit
    // The form is of another person, who signed in in another tab before.
    if (missing === undefined || form.optional('account') !== missing.user.uuid) return goOn(visit)
    if (form.optional('choice') !== 'allow') throw await denied(visit, 'The user did not give consent.')
    if (form.optional('shown') !== shownDigest(client, missing.asked)) return goOn(visit)
    if (pending.parameters.trial === undefined)
      await rememberConsent(service.store, {
        user_uuid: missing.user.uuid,
        client,
        allowance: missing.asked,
        reach: missing.reach,
        now: service.now(),
        by: {
          actor: { kind: 'user', id: missing.user.uuid },
          address: request.ip,
          requestId: request.id,
        },
      })
    await answerStep(service.store, pending.id, { consented: 1 })
    return goOn(visit)
  },
}

/** Tells whether what a client asks for is still what the page showed. */
export const digestOf = (asked: Allowance) => hash('sha256', JSON.stringify(asked), 'base64url')

/** The name of a document may change while its page is open. */
const shownDigest = ({ document, client_name }: Client, asked: Allowance) =>
  document === undefined ? digestOf(asked) : hash('sha256', JSON.stringify([asked, client_name]), 'base64url')

/** The host of a client that is a document, and where it sends people: to a program on this computer, maybe. */
const documentShown = ({ document, client_id }: Client, redirect_uri: string) => ({
  documentHost: document && documentHost(client_id),
  toProgram: document !== undefined && redirect_uri.startsWith('http:'),
})

/** The part marked as new; undefined: the client was allowed nothing before. */
const freshOf = ({ asked, before }: ConsentAsked): Allowance | undefined => before && beyond(asked, before)

export function shownOf(
  missing: ConsentAsked,
): Pick<ConsentPageProps, 'scopes' | 'claims' | 'redirectHosts' | 'more'> {
  const { asked, before } = missing
  const fresh = freshOf(missing)
  const marked = (all: readonly string[], isNew: readonly string[] = []) =>
    all.map((text) => ({ text, isNew: isNew.includes(text) }))
  return {
    scopes: marked(asked.scopes, fresh?.scopes),
    claims: marked(asked.claims, fresh?.claims),
    redirectHosts: marked(asked.redirectHosts, fresh?.redirectHosts),
    more: before !== undefined,
  }
}

/** The services that tokens are for, those where these may act in turn, and the descriptions of what may be done there. */
export async function shownServices(
  { store }: Service,
  missing: ConsentAsked,
): Promise<Pick<ConsentPageProps, 'services' | 'onward'>> {
  const { asked } = missing
  const fresh = freshOf(missing)
  const named = { names: new Map((await allServices(store)).map(({ code, name }) => [code, name])), store }
  return {
    services: await described(named, asked.services, {
      permissions: asked.permissions,
      fresh: [...(fresh?.services ?? []), ...(fresh?.permissions ?? [])],
    }),
    onward: await described(
      named,
      asked.onward.filter((one) => !isPermission(one)),
      { permissions: asked.onward.filter(isPermission), fresh: fresh?.onward ?? [] },
    ),
  }
}

async function described(
  { names, store }: { names: ReadonlyMap<string, string>; store: Store },
  codes: readonly string[],
  { permissions: asked, fresh }: { permissions: readonly string[]; fresh: readonly string[] },
): Promise<ConsentService[]> {
  const shown: ConsentService[] = []
  for (const code of codes) {
    const described = code === iamService ? [] : await permissionsOfService(store, code)
    const texts = new Map(described.map((one) => [one.code, one.description]))
    const permissions = asked
      .filter((one) => serviceOf(one) === code)
      .map((one) => ({ text: texts.get(one) ?? one, isNew: fresh.includes(one) }))
    shown.push({ name: names.get(code), isNew: fresh.includes(code), permissions })
  }
  return shown
}
