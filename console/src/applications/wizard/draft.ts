/** What the wizard knows of an application that is not there yet, and the request that makes it. */
import type { components, paths } from '../../api/types.d.ts'
import { codeFrom } from '../../shared/code.ts'
import { isUnnamed } from '../allowed.tsx'
import { headers, type Told } from '../proxied-fields.tsx'
import type { Routes } from '../route-lines.tsx'

export type Recipe = components['schemas']['Recipes']['items'][number]
export type NewClient = paths['/admin/v1/clients']['post']['requestBody']['content']['application/json']

/** What is connected, in the words of the person who does it. */
export const kinds = ['browser', 'server', 'proxied', 'device', 'machine', 'document', 'product'] as const
export type Kind = (typeof kinds)[number]

const types = {
  browser: 'public',
  server: 'web',
  proxied: 'proxied',
  device: 'public',
  machine: 'machine',
  document: 'public',
  product: 'web',
} as const

export interface Draft extends Told {
  kind: Kind
  recipe: string | undefined
  /** Where a product of a recipe is. */
  url: string
  name: string
  /** Undefined: as the name proposes it. */
  id: string | undefined
  /** Undefined: as the recipe says. */
  redirects: string[] | undefined
  /** Further hosts that a document may send people to. */
  hosts: string[]
  /** A code is shown, and nothing comes back to it. */
  byCode: boolean
  scope: string
  /** Where an application behind a proxy is, and what its routes demand. */
  origins: string[]
  routes: Routes
  organisation: string | undefined
  /** People who may use it; undefined: not said yet. */
  allowed: NewClient['allowed']
  /** Nobody is asked for consent. */
  ours: boolean
}

export const begun = (kind: Kind): Draft => ({
  kind,
  recipe: undefined,
  url: '',
  name: '',
  id: undefined,
  redirects: undefined,
  hosts: [],
  byCode: false,
  scope: 'openid profile email',
  services: [],
  permissions: kind === 'machine' || kind === 'document' ? [] : null,
  origins: [],
  routes: { '* /*': 'signed-in' },
  headers: headers.slice(0, 4),
  remote_user: 'sub',
  organisation: undefined,
  allowed: undefined,
  ours: false,
})

/** The type of what is connected: a product may be behind a proxy, too. */
export const typeOf = ({ kind }: Pick<Draft, 'kind'>, recipe: Recipe | undefined): NewClient['type'] =>
  fieldsOfRecipe(recipe, '').type ?? types[kind]

/** Recipes of proxies that may be in front of it. */
export const proxiesOf = (recipes: readonly Recipe[]): Recipe[] =>
  recipes.filter(({ client }) => client?.['type'] === 'proxied')

export function recipesOf(kind: Kind, recipes: readonly Recipe[]): Recipe[] {
  const fitting = recipes.filter((one) => {
    const { client, library = false } = one
    if (client === undefined) return false
    // A library is what an application of another name is made with.
    if (kind === 'product') return !library
    const native = client['application_type'] === 'native'
    return library && client['type'] === types[kind] && native === (kind === 'device')
  })
  return fitting.sort((one, other) => one.product.localeCompare(other.product))
}

/** The recipe's own fields, where the product is at this address. */
export function fieldsOfRecipe(recipe: Recipe | undefined, url: string): Partial<NewClient> {
  const at = url.trim().replace(/\/+$/, '')
  const filled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(filled)
    return typeof value === 'string' ? settingOf(value, { url: at, host: hostOf(at) }) : value
  }
  const fields = Object.entries(recipe?.client ?? {}).map(([name, value]) => [name, filled(value)])
  return Object.fromEntries(fields) as Partial<NewClient>
}

/** Whether a part of what the API says of a body is about what the recipe makes of where the product is. */
export function isMadeOfUrl(field: string, draft: Draft, recipe: Recipe | undefined): boolean {
  const { redirects } = draft
  const [name = ''] = field.split('.')
  if (typeOf(draft, recipe) === 'proxied') return name === 'client_uri'
  if (name === 'redirect_uris' && redirects !== undefined) return false
  return JSON.stringify(recipe?.client?.[name] ?? '').includes('{{url}}')
}

/** Redirect URIs to register: typed, or as the recipe says once it is known where the product is. */
export function redirectsOf({ redirects, url }: Draft, recipe: Recipe | undefined): string[] {
  if (redirects !== undefined) return redirects
  const isKnown = recipe !== undefined && (recipe.url === undefined || url.trim() !== '')
  return isKnown ? (fieldsOfRecipe(recipe, url).redirect_uris ?? []) : []
}

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** Where it is: a product as it was asked for, and an application behind a proxy at its first origin. */
export const urlOf = (draft: Draft, recipe: Recipe | undefined): string =>
  (typeOf(draft, recipe) === 'proxied' ? draft.origins[0] : draft.url) ?? ''

/** Whether it is known by then what it is called: a document says it. */
export const isNamed = ({ kind, name, url }: Draft): boolean =>
  (kind === 'document' ? url : name).trim() !== ''

/** An application that says at its address what it is. */
function bodyOfDocument({ url, hosts, services, permissions, organisation, allowed }: Draft): NewClient {
  return {
    client_id: url.trim(),
    type: 'public',
    metadata: 'document',
    scope: services.length > 0 ? 'openid service.api' : 'openid',
    services,
    permissions: permissions ?? [],
    ...(hosts.length > 0 && { redirect_hosts: hosts }),
    ...(organisation !== undefined && { organisation_uuid: organisation }),
    ...(allowed && !isUnnamed(allowed) && { allowed }),
  }
}

export function bodyOf(draft: Draft, recipe: Recipe | undefined): NewClient {
  if (draft.kind === 'document') return bodyOfDocument(draft)
  const { kind, name, id, byCode, services, permissions, organisation } = draft
  const type = typeOf(draft, recipe)
  const common: NewClient = {
    ...fieldsOfRecipe(recipe, urlOf(draft, recipe)),
    client_id: id ?? codeFrom(name),
    client_name: name.trim(),
    type,
    services,
    ...(permissions !== null && { permissions }),
    ...(organisation !== undefined && { organisation_uuid: organisation }),
  }
  if (kind === 'machine') return common
  const entry = {
    ...(draft.allowed && !isUnnamed(draft.allowed) && { allowed: draft.allowed }),
    ...(draft.ours && { first_party: true }),
  }
  if (type === 'proxied') {
    const { origins, routes, headers, remote_user } = draft
    const [home] = origins
    return {
      ...{ ...common, ...entry, origins, routes, headers, remote_user },
      // The account and an accepted invitation lead there.
      ...(home && { client_uri: `${home}/` }),
    }
  }
  const scope = services.length > 0 ? `${draft.scope} service.api` : draft.scope
  const isByCode = kind === 'device' && byCode
  return {
    ...common,
    ...entry,
    scope,
    redirect_uris: isByCode ? [] : redirectsOf(draft, recipe),
    ...(kind === 'device' && { application_type: 'native' as const }),
    ...(isByCode && {
      grant_types: [deviceGrant, 'refresh_token'] as const satisfies readonly string[] as never,
    }),
  }
}

/** A secret of the product's own: 32 bytes. */
export function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '')
}

/** The name of the host of an address; as it stands while it is none. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : url)

/** What the settings of the recipe stand for. */
export const settingOf = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (all, name: string) => values[name] ?? all)
