import { enter } from '../administration/upstream-invitations/entering.ts'
import { sendPage } from '../pages/send-page.ts'
import type { Parameters } from '../protocol/parameters.ts'
import type { Service } from '../service.ts'
import { callbackOf, samlAddressesOf } from '../sign-in/upstream.ts'
import type { StepOf } from './steps.ts'
import { readValues, type ValuesField, type ValuesProblem } from './values.ts'
import { valuesPage } from './values-page.tsx'
import { type ConnectVisit, pathOf } from './visit.ts'

type TypedValues = Partial<Record<ValuesField, string>>

/** The addresses of this service that the provider needs. */
function ownAddresses(service: Service, uuid: string) {
  const { ownEntity, acs } = samlAddressesOf(service, uuid)
  const redirect = callbackOf(service, uuid)
  const below = (part: string) => `${ownEntity}/${part}`
  const [metadata, keys, logout] = [below('metadata'), below('jwks'), below('logout')]
  return { redirect, entityId: ownEntity, acs, metadata, keys, logout }
}

function showValues(
  { service, reply, page, row, entry: { provider, values } }: ConnectVisit,
  { throttled, problem, typed }: { throttled?: boolean; problem?: ValuesProblem; typed?: TypedValues } = {},
): unknown {
  if (provider === undefined) return reply.redirect(pathOf('provider'), 303)
  const kept: TypedValues = {
    issuer: values?.issuer ?? '',
    client_id: values?.client_id ?? '',
    metadata_url: values?.metadata_url ?? '',
    metadata: values?.metadata ?? '',
  }
  const html = valuesPage({
    ...page,
    provider,
    own: ownAddresses(service, row.upstream_uuid),
    typed: typed ?? kept,
    hasSecret: (values?.secret_id ?? null) !== null,
    kept: values !== undefined,
    problem: throttled === true ? 'throttled' : problem,
  })
  return sendPage(reply, html, { status: throttled === true ? 429 : problem === undefined ? 200 : 400 })
}

const typedIn = (form: Parameters): TypedValues => ({
  issuer: form.optional('issuer') ?? '',
  client_id: form.optional('client_id') ?? '',
  metadata_url: form.optional('metadata_url') ?? '',
  metadata: form.optional('metadata', 200_000) ?? '',
})

export const valuesStep: StepOf = {
  show: showValues,
  async submit(visit, form) {
    const { service, reply, entry, holding } = visit
    const { provider } = entry
    if (provider === undefined) return reply.redirect(pathOf('provider'), 303)
    const read = await readValues(visit, provider, form)
    if ('problem' in read) return showValues(visit, { problem: read, typed: typedIn(form) })
    const { values, secret } = read
    const { issuer, client_id, metadata_url } = values
    await enter(service.store, holding, (row, now) =>
      now.provider === provider
        ? {
            entry: { ...now, values },
            secret,
            isAnother: true,
            detail: { step: 'values', issuer, client_id, metadata_url },
          }
        : // Another provider was chosen beside.
          { entry: now, secret: row.secret, detail: { step: 'values' } },
    )
    return reply.redirect(pathOf('values'), 303)
  },
}
