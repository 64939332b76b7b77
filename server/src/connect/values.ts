/** What is entered of a provider, looked at by the rules of a sign-in before it is kept. */
import { anyText } from '../catalogue/checked.ts'
import * as kinds from '../catalogue/kinds.ts'
import { schemaOf } from '../catalogue/schemas.ts'
import { encryptedUpstream } from '../keys/upstream-secret.ts'
import { newId } from '../protocol/identifier.ts'
import type { Parameters } from '../protocol/parameters.ts'
import { upstreamProblems } from '../protocol/upstream-rules.ts'
import { isUuid, textProblem } from '../protocol/values.ts'
import { draftRow, type EnteredValues } from '../upstream/drafts.ts'
import { fetchDocument, reachingOf } from '../upstream/fetch.ts'
import { checkOidc } from '../upstream/oidc.ts'
import { type Provider, providers } from '../upstream/providers.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { entityIdOf, readSamlMetadata } from '../upstream/saml-metadata.ts'
import { openUpstream } from '../upstream/secrets.ts'
import { providerWords } from './provider-words.ts'
import type { ConnectVisit } from './visit.ts'

export type ValuesField = 'issuer' | 'client_id' | 'client_secret' | 'metadata_url' | 'metadata'

/** What is wrong. The detail is in English, and says it exactly. */
export interface ValuesProblem {
  field: ValuesField
  problem: 'missing' | 'wrong' | 'issuer' | 'unreachable' | 'documents' | 'metadata'
  detail?: string | undefined
}

export interface ReadValues {
  values: EnteredValues
  /** Encrypted. */
  secret: string | null
}

export async function readValues(
  visit: ConnectVisit,
  provider: Provider,
  form: Parameters,
): Promise<ReadValues | ValuesProblem> {
  return providers[provider].kind === 'saml'
    ? await readSaml(visit, form)
    : await readOidc(visit, provider, form)
}

const typedIn = (form: Parameters, field: ValuesField) => (form.optional(field, 200_000) ?? '').trim()

/** The issuer as it is typed; of Entra the id of the tenant is enough. */
function issuerOf(provider: Provider, form: Parameters): string {
  const typed = typedIn(form, 'issuer')
  if (provider === 'entra' && isUuid(typed))
    return `https://login.microsoftonline.com/${typed.toLowerCase()}/v2.0`
  return providerWords[provider].fixedIssuer ?? typed
}

async function readOidc(
  visit: ConnectVisit,
  provider: Provider,
  form: Parameters,
): Promise<ReadValues | ValuesProblem> {
  const { service, row, entry } = visit
  const issuer = issuerOf(provider, form)
  const client_id = typedIn(form, 'client_id')
  const typed = typedIn(form, 'client_secret')
  for (const [field, text, most] of [
    ['issuer', issuer, 500],
    ['client_id', client_id, 500],
    ['client_secret', typed || '-', 1000],
  ] as const)
    if (textProblem(most)(text) !== undefined) return { field, problem: text === '' ? 'missing' : 'wrong' }
  const { organisation_uuid, upstream_uuid } = row
  const said = { kind: 'oidc', organisation_uuid, issuer } as const
  const wrong = upstreamProblems(said).find((one) => one.field === 'issuer')
  if (wrong !== undefined) return { field: 'issuer', problem: 'issuer', detail: wrong.detail }
  // A secret is for the provider that it was entered for.
  const keeps = typed === '' && entry.provider === provider && entry.values?.issuer === issuer
  const secret = keeps
    ? row.secret
    : typed === ''
      ? null
      : encryptedUpstream(typed, upstream_uuid, 'secret', service.settings.secret)
  const secret_id = keeps ? (entry.values?.secret_id ?? null) : typed === '' ? null : newId(service.now())
  const values = { issuer, client_id, secret_id, metadata_url: null, metadata: null, documents: null }
  const draft = draftRow({ ...row, secret, entry: JSON.stringify({ ...entry, provider, values }) }, '')
  return (
    (await refusedOf('issuer', () => checkOidc(reachingOf(service), openUpstream(service, draft)))) ?? {
      values,
      secret,
    }
  )
}

/** Metadata by its address, as a file or pasted. */
async function readSaml({ service }: ConnectVisit, form: Parameters): Promise<ReadValues | ValuesProblem> {
  const address = typedIn(form, 'metadata_url')
  const file = Buffer.from(form.optional('file', 400_000) ?? '', 'base64').toString('utf8')
  const text = file === '' ? typedIn(form, 'metadata') : file
  if (text === '' && address === '') return { field: 'metadata_url', problem: 'missing' }
  const field = text === '' ? 'metadata_url' : 'metadata'
  if (field === 'metadata_url' && !schemaOf(kinds.webAddress).safeParse(address).success)
    return { field, problem: 'wrong' }
  if (field === 'metadata' && !anyText(100_000).safeParse(text).success)
    return { field, problem: 'metadata', detail: 'It is longer than 100,000 characters: give its address.' }
  let read: ReadValues | undefined
  const problem = await refusedOf(field, async () => {
    const xml = field === 'metadata' ? text : await fetchedMetadata(service, address)
    const issuer = entityIdOf(xml)
    if (textProblem(500)(issuer) !== undefined)
      throw new UpstreamRefusal('documents', 'The metadata has no entityID of at most 500 characters.')
    const documents = readSamlMetadata(xml, issuer, service.now())
    const by =
      field === 'metadata'
        ? { metadata_url: null, metadata: text }
        : { metadata_url: address, metadata: null }
    read = { values: { issuer, client_id: null, secret_id: null, ...by, documents }, secret: null }
  })
  return problem ?? read ?? { field, problem: 'metadata' }
}

async function fetchedMetadata(service: ConnectVisit['service'], address: string): Promise<string> {
  const { status, body } = await fetchDocument(reachingOf(service), address)
  if (status === 200) return body
  throw new UpstreamRefusal('documents', `${address} answers ${status}.`)
}

/** What of an upstream stands in the way. Of one that can't be reached no detail tells what is in our network. */
async function refusedOf(
  field: ValuesField,
  look: () => Promise<unknown>,
): Promise<ValuesProblem | undefined> {
  try {
    await look()
    return undefined
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    if (error.code === 'unreachable') return { field, problem: 'unreachable' }
    const isMetadata = field === 'metadata' || field === 'metadata_url'
    return { field, problem: isMetadata ? 'metadata' : 'documents', detail: error.message }
  }
}
