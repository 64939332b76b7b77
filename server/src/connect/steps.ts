import { enter, handIn } from '../administration/upstream-invitations/entering.ts'
import { domainsOf } from '../administration/domains/verbs.ts'
import { sendPage } from '../pages/send-page.ts'
import { messagesFor } from '../pages/messages/index.ts'
import { hashSecret, newSecret } from '../protocol/identifier.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { clearCookie } from '../sign-in/browser.ts'
import { providerNames, providers } from '../upstream/providers.ts'
import { type DomainLook, domainOf, lookAt } from './domain.ts'
import { handedInPage } from './guide-page.tsx'
import { domainPage, finishPage, providerPage, provisioningPage } from './step-pages.tsx'
import { type ConnectVisit, pathOf } from './visit.ts'

/** A step of the guide: its page, and what its form does. */
export interface StepOf {
  show(visit: ConnectVisit, more?: { throttled?: boolean }): unknown
  submit(visit: ConnectVisit, form: Parameters): Promise<unknown>
}

const statusOf = ({ throttled }: { throttled?: boolean }, isWrong = false) =>
  throttled === true ? 429 : isWrong ? 400 : 200

export const providerStep: StepOf = {
  show: ({ reply, page, entry }, more = {}) =>
    sendPage(reply, providerPage({ ...page, ...more, chosen: entry.provider }), { status: statusOf(more) }),
  async submit(visit, form) {
    const { service, reply, holding } = visit
    const provider = providerNames.find((one) => one === form.optional('provider'))
    if (provider === undefined) return providerStep.show(visit)
    await enter(service.store, holding, ({ secret }, { values, ...entry }) => {
      const isSame = provider === entry.provider
      const detail = { step: 'provider', provider }
      if (isSame) return { entry: { ...entry, values }, secret, detail }
      return { entry: { ...entry, provider }, secret: null, isAnother: true, detail }
    })
    return reply.redirect(pathOf('values'), 303)
  },
}

function showDomain(
  { reply, page, entry: { domain } }: Pick<ConnectVisit, 'reply' | 'page' | 'entry'>,
  more: { throttled?: boolean; look?: DomainLook; wrong?: string } = {},
): unknown {
  const isWrong = more.wrong !== undefined || (more.look !== undefined && more.look !== 'found')
  const look = more.look ?? (domain !== undefined && domain.found_at !== null ? 'found' : undefined)
  return sendPage(reply, domainPage({ ...page, ...more, domain, look }), { status: statusOf(more, isWrong) })
}

export const domainStep: StepOf = {
  show: showDomain,
  async submit(visit, form) {
    const { service, holding, row, entry } = visit
    if (form.optional('choice') === 'look' && entry.domain !== undefined) {
      const { domain } = entry
      const look = await lookAt(service, domain)
      const found_at = look === 'found' ? holding.now : null
      await enter(service.store, holding, (_row, now) => ({
        // Another one may have been entered beside.
        entry: now.domain?.token === domain.token ? { ...now, domain: { ...domain, found_at } } : now,
        detail: { step: 'look', name: domain.name, found: look === 'found' },
      }))
      return showDomain({ ...visit, entry: { ...entry, domain: { ...domain, found_at } } }, { look })
    }
    const typed = form.optional('domain', 300) ?? ''
    const domain = domainOf(typed, entry.domain, await domainsOf(service.store.db, row.organisation_uuid))
    if (domain === undefined) return showDomain(visit, { wrong: typed })
    await enter(service.store, holding, (_row, now) => ({
      entry: { ...now, domain },
      detail: { step: 'domain', name: domain.name },
    }))
    return visit.reply.redirect(pathOf('domain'), 303)
  },
}

function showProvisioning(
  { service, reply, page, entry }: ConnectVisit,
  more: { throttled?: boolean; token?: string } = {},
): unknown {
  const { provider, directory } = entry
  const baseUrl = `${service.issuer}/scim/v2`
  const html = provisioningPage({ ...page, ...more, provider, baseUrl, hasToken: directory !== undefined })
  return sendPage(reply, html, { status: statusOf(more) })
}

export const provisioningStep: StepOf = {
  show: showProvisioning,
  async submit(visit) {
    const token = newSecret()
    const directory = { code: 'scim' }
    await enter(visit.service.store, visit.holding, (_row, now) => ({
      entry: { ...now, directory },
      token_hash: hashSecret(token),
      detail: { step: 'token' },
    }))
    return showProvisioning({ ...visit, entry: { ...visit.entry, directory } }, { token })
  },
}

const isEmpty = ({ entry: { values, domain, directory } }: ConnectVisit) =>
  values === undefined && domain === undefined && directory === undefined

/** Whether addresses of a domain will count: of the one that is proved here, or that the organisation has already. */
async function hasDomain({ service, entry: { domain }, row }: ConnectVisit): Promise<boolean> {
  if ((domain?.found_at ?? null) !== null) return true
  const all = await domainsOf(service.store.db, row.organisation_uuid)
  return all.some(({ holds }) => holds === 1)
}

export const finishStep: StepOf = {
  async show(visit, more = {}) {
    const { reply, page, entry, row } = visit
    const { provider, values, domain, directory } = entry
    const { connect: messages } = messagesFor(page.locale)
    const entered = [
      [messages.domain, domain?.name],
      [messages.provider, provider && providers[provider].name],
      [messages.issuer, values?.issuer],
      [messages.clientId, values?.client_id ?? undefined],
      [messages.metadataUrl, values?.metadata_url ?? undefined],
      ['SCIM', directory && messages.done],
    ] as const
    const notTried = values !== undefined && row.tried_at === null
    const noDomain = !(await hasDomain(visit))
    const html = finishPage({ ...page, ...more, entered, notTried, noDomain, empty: isEmpty(visit) })
    return sendPage(reply, html, { status: statusOf(more) })
  },
  async submit(visit) {
    const { service, reply, page, holding } = visit
    if (isEmpty(visit)) return await finishStep.show(visit)
    await handIn(service.store, holding)
    clearCookie(service, reply, 'connect')
    return sendPage(reply, handedInPage({ ...page, here: undefined }))
  },
}
