import { type Command, InvalidArgumentError, Option } from 'commander'
import { newSecret } from '../../protocol/identifier.ts'
import { nearest } from '../../declared/problems.ts'
import { isLoopbackHost } from '../../protocol/redirect-uri.ts'
import { connected, type ConnectOptions } from '../connect.ts'
import { type Connection, routeOf, type ApiObject } from '../connection.ts'
import { type Context, print, printJson } from '../context.ts'
import { bodyOf, type Field, valuesOf } from '../fields.ts'
import { didYouMean } from '../suggestions.ts'
import {
  anyProduct,
  clientOf,
  namesOf,
  notesOf,
  readRecipe,
  type Recipe,
  recipeNamed,
  recipeNames,
  settingsOf,
} from '../../administration/recipes.ts'
import { allowedBy } from './client-allow.ts'
import { askedFields } from './client-questions.ts'

interface ForOptions extends ConnectOptions {
  for: string
}

/** `tessera client create --for`: registers the client of a product, and prints what to paste there. */
export const forProduct = {
  options: (command: Command): Command =>
    command
      .addOption(
        new Option('--for <product>', 'as this product needs it; --url is where the product is')
          .choices(recipeNames())
          .argParser(productOf),
      )
      .addHelpText(
        'after',
        `  $ tessera client create --for grafana --url https://grafana.example.com --allow-role developer

With --for the service is that of TESSERA_URL, else the database, because --url is where the product is. A product
that has no recipe is --for ${anyProduct}: on a terminal you are asked what it sends.`,
      ),
  isAsked: (options: ConnectOptions): options is ForOptions => 'for' in options,
  create,
}

/** The recipe of this name, of one that people use for it, or of any product. */
function productOf(text: string): string {
  const name = recipeNamed(text)
  if (name !== undefined) return name
  const near = nearest(text.toLowerCase(), recipeNames().flatMap(namesOf))
  throw new InvalidArgumentError(
    `There is no recipe of that name.${didYouMean(text, near)} A product that has none is --for ${anyProduct}; docs/integrate has all that there are.`,
  )
}

async function create(
  context: Context,
  id: string | undefined,
  options: ForOptions,
  fields: readonly Field[],
): Promise<void> {
  const recipe = readRecipe(options.for)
  const url = addressOf(recipe, options)
  const { url: _, ...others } = options
  const told =
    options.for === anyProduct
      ? await askedFields(context, { recipe, url, typed: valuesOf(fields, options) })
      : {}
  const ask = async (connection: Connection) => {
    const issuer = await issuerOf(connection)
    if (url === issuer) throw new Error(`${url} is this service: --url is where ${recipe.product} is.`)
    const typed = await bodyOf(connection, fields, options)
    const named = { client_id: options.for, ...told, ...(id !== undefined && { client_id: id }) }
    const body = { ...clientOf(recipe, url), ...named, ...typed, ...allowedBy(options) }
    const { body: made } = await connection.ask({ route: routeOf('POST', '/clients'), body })
    return { issuer, made }
  }
  const { issuer, made } = await connected(context, others, ask, fields)
  printMade(context, { recipe, url, issuer, made }, options)
}

/** The address of the product, without a slash at the end. Throws when nobody could come back to it. */
function addressOf({ product, url: example, client }: Recipe, { for: name, url }: ForOptions): string {
  if (client === undefined)
    throw new Error(`${product} signs nobody in: declare it as a service, as docs/integrate/${name}.md says.`)
  if (example === undefined) {
    if (url !== undefined) throw new Error(`${product} is everywhere at the same address: leave out --url.`)
    return ''
  }
  if (url === undefined || url === '') throw new Error(`Where is ${product}? Say --url ${example}.`)
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw new Error(`--url ${url} is no address of ${product}: it is like ${example}.`)
  if (address.protocol === 'http:' && !isLoopbackHost(address.hostname))
    throw new Error(
      `--url ${url} is http, which is for this machine alone: give the https address of ${product}.`,
    )
  if (address.search !== '' || address.hash !== '' || address.username !== '' || address.password !== '')
    throw new Error(`--url ${url} is more than where ${product} is: it is like ${example}.`)
  return address.href.replace(/\/+$/, '')
}

/** The issuer, read from the audience of the administration API: the same over HTTP and on the database. */
async function issuerOf(connection: Connection): Promise<string> {
  const { body } = await connection.ask({ route: routeOf('GET', '/services/:code'), params: { code: 'iam' } })
  return String(body.audience).replace(/\/admin$/, '')
}

interface Made {
  recipe: Recipe
  url: string
  issuer: string
  made: ApiObject
}

/** All of it on standard output, which may be a file; its secret is the one that the API shows this once. */
function printMade(context: Context, { recipe, url, issuer, made }: Made, options: ForOptions): void {
  const { product, version, ran, why } = recipe
  const secret = made.client_secret
  const [redirect = ''] = made.redirect_uris as string[]
  const filling = {
    issuer,
    url,
    client_id: String(made.client_id),
    client_secret: typeof secret === 'string' ? secret : '',
    scope: String(made.scope),
    redirect_uri: redirect,
    random: newSecret(),
  }
  const settings = settingsOf(recipe, filling)
  const notes = notesOf(recipe, filling).map(withoutLinks)
  if (options.json === true) return printJson(context, { ...made, product, version, ran, settings, notes })
  const weaker = (made.weakenings as { field: string; detail: string }[]).map(
    ({ field, detail }) => `${field}: false. ${why ?? ''} ${detail}`,
  )
  const shown = secret === undefined ? [] : ['The client_secret is shown this once: keep it now.']
  const told = [...weaker, ...notes, `See docs/integrate/${options.for}.md.`, ...shown]
  const parts = [
    `The client ${filling.client_id} is registered for ${product} (${ran ? 'run' : 'read'}: ${version}).`,
    ...settings.map(({ where, text }) => `Into ${where}:\n\n${text.trimEnd()}`),
    told.map((one) => `- ${one}`).join('\n'),
  ]
  print(context, parts.join('\n\n'))
}

const withoutLinks = (markdown: string): string => markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
