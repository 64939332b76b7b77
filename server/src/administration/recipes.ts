import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'
import { route, type Route } from './route.ts'

/**
 * How products sign people in through Tessera: one file of `server/assets/recipes` for each. `client create --for`
 * and the console register from it, and `docs/integrate` shows it.
 */

/** Fields of the declared file and of the API, with `{{url}}` for where the product is. */
const fields = z.record(z.string(), z.unknown())

const recipe = z.strictObject({
  product: z.string(),
  /** What people call it too; `client create --for` takes each. */
  also: z.array(z.string()).optional(),
  /** What applications are written with: each of them has a name of its own. */
  library: z.literal(true).optional(),
  /** The version that the recipe was run or read with. */
  version: z.string(),
  /** true: `npm run interop` runs it. */
  ran: z.union([z.boolean(), z.literal('by hand')]),
  /** An example of where the product is; left out: its addresses are always the same. */
  url: z.url().optional(),
  client: fields.optional(),
  /** Set for a product that takes tokens and signs nobody in. */
  service: fields.optional(),
  /** What it can't do that makes its client or service weaker than by default. */
  why: z.string().optional(),
  /** What to paste on the other side, as it stands: `npm run interop` does. */
  settings: z.array(z.strictObject({ where: z.string(), language: z.string(), text: z.string() })).min(1),
  notes: z.array(z.string()),
})

export type Recipe = z.output<typeof recipe>
export type RecipeSettings = Recipe['settings'][number]

/** What the names in double braces stand for; `{{host}}` and `{{issuer_path}}` follow from them. */
export interface Filling {
  issuer: string
  url: string
  client_id: string
  client_secret: string
  scope: string
  /** The first that is registered. */
  redirect_uri: string
  /** A secret of the product's own, such as that of its cookies. */
  random: string
}

const folder = new URL('../../assets/recipes/', import.meta.url)

export const recipeNames = (): string[] =>
  readdirSync(folder)
    .map((file) => file.replace(/\.yaml$/, ''))
    .sort()

export function readRecipe(name: string): Recipe {
  const read = recipe.parse(parse(readFileSync(new URL(`${name}.yaml`, folder), 'utf8')))
  const { product, url, client } = read
  if (client === undefined) return read
  const named = { client_name: product, ...client }
  if (url === undefined || client['application_type'] === 'native') return { ...read, client: named }
  // The account and an accepted invitation lead there.
  return { ...read, client: { ...named, client_uri: '{{url}}/' } }
}

/** The recipe for a product that has none of its own. */
export const anyProduct = 'other'

/** The recipe of what somebody calls by this name, however they write it. */
export function recipeNamed(text: string): string | undefined {
  const asked = plainName(text)
  return recipeNames().find((name) => namesOf(name).some((one) => plainName(one) === asked))
}

/** Every name by which a recipe is found. */
export const namesOf = (name: string): string[] => [name, ...(readRecipe(name).also ?? [])]

const plainName = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Other names in braces are the product's own. */
function filled(text: string, filling: Partial<Filling>): string {
  const { issuer, url } = filling
  const all: Record<string, string | undefined> = {
    ...filling,
    ...(url && { host: new URL(url).hostname }),
    ...(issuer && { issuer_path: new URL(issuer).pathname.replace(/\/$/, '') }),
  }
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => all[name] ?? whole)
}

/** The fields of the client of a product at this address. */
export const clientOf = ({ client = {} }: Recipe, url: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(client).map(([name, value]) => [name, withUrl(value, url)]))

function withUrl(value: unknown, url: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withUrl(one, url))
  return typeof value === 'string' ? filled(value, { url }) : value
}

export const settingsOf = ({ settings }: Recipe, filling: Filling): RecipeSettings[] =>
  settings.map((one) => ({ ...one, text: filled(one.text, filling) }))

export const notesOf = ({ notes }: Recipe, filling: Partial<Filling>): string[] =>
  notes.map((one) => filled(one, filling))

const recipes = z.object({ items: z.array(recipe.extend({ name: z.string() })) })

export const recipeSchemas = { Recipes: recipes }

/** Parsed when they are first asked for, and kept: the files come with the package. */
let known: z.output<typeof recipes> | undefined

export const recipeRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/recipes',
    permission: 'iam.clients.read',
    summary: 'List how products and libraries are connected',
    description:
      'The fields of the client that each needs, and what to paste on its side. `{{url}}` stands for where it is; `{{issuer}}`, `{{client_id}}`, `{{client_secret}}`, `{{scope}}` and `{{redirect_uri}}` (the first) for what is known once the client is there; `{{host}}` for the name of its host, and `{{issuer_path}}` for the path of the issuer, empty where it has none; `{{random}}` for a new secret of the product, 32 random bytes as base64url. `tessera client create --for` registers from them.',
    answers: 'Recipes',
    handle: () => {
      known ??= { items: recipeNames().map((name) => ({ name, ...readRecipe(name) })) }
      return Promise.resolve({ status: 200, body: known })
    },
  }),
]
