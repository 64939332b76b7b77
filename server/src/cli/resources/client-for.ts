import { type Command, Option } from 'commander'
import { isLoopbackHost } from '../../protocol/redirect-uri.ts'
import { connected, type Options } from '../connect.ts'
import { type Connection, routeOf, type Thing } from '../connection.ts'
import { type Context, note, print, printJson } from '../context.ts'
import { bodyOf, type Field } from '../fields.ts'
import {
  clientOf,
  notesOf,
  readRecipe,
  type Recipe,
  recipeNames,
  settingsOf,
} from '../../administration/recipes.ts'

interface ForOptions extends Options {
  for: string
}

/** Of `tessera client create`: registers the client of a product, and prints what to paste there. */
export const forProduct = {
  options: (command: Command): Command =>
    command
      .addOption(
        new Option('--for <product>', 'as this product needs it; --url is where the product is').choices(
          recipeNames(),
        ),
      )
      .addHelpText(
        'after',
        `  $ tessera client create --for grafana --url https://grafana.example.com

With --for the service is that of TESSERA_URL, else the database, because --url is where the product is.`,
      ),
  isAsked: (options: Options): options is ForOptions => 'for' in options,
  create,
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
  const ask = async (connection: Connection) => {
    const issuer = await issuerOf(connection)
    if (url === issuer) throw new Error(`${url} is this service: --url is where ${recipe.product} is.`)
    const typed = await bodyOf(connection, fields, options)
    const body = { ...clientOf(recipe, url), client_id: id ?? options.for, ...typed }
    const { body: made } = await connection.ask({ route: routeOf('POST', '/clients'), body })
    return { issuer, made }
  }
  const { issuer, made } = await connected(context, others, ask, fields)
  printMade(context, { recipe, url, issuer, made }, options)
}

/** Where the product is, without a slash at the end. Throws when nobody could come back to it. */
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

/** By the audience of the administration API, which is the same over HTTP and on the database. */
async function issuerOf(connection: Connection): Promise<string> {
  const { body } = await connection.ask({ route: routeOf('GET', '/services/:code'), params: { code: 'iam' } })
  return String(body.audience).replace(/\/admin$/, '')
}

interface Made {
  recipe: Recipe
  url: string
  issuer: string
  made: Thing
}

/** The settings alone on standard output; their secret is the one that the API shows this once. */
function printMade(context: Context, { recipe, url, issuer, made }: Made, options: ForOptions): void {
  const { product, version, ran, why } = recipe
  const secret = made.client_secret
  const filling = {
    issuer,
    url,
    client_id: String(made.client_id),
    client_secret: typeof secret === 'string' ? secret : '',
    scope: String(made.scope),
  }
  const settings = settingsOf(recipe, filling)
  const notes = notesOf(recipe, filling).map(withoutLinks)
  if (options.json === true) return printJson(context, { ...made, product, version, ran, settings, notes })
  note(
    context,
    `The client ${filling.client_id} is registered for ${product} (${ran ? 'run' : 'read'}: ${version}).`,
  )
  for (const { where, text } of settings) {
    note(context, `\nInto ${where}:\n`)
    print(context, text.trimEnd())
  }
  const weaker = (made.weakenings as { field: string; detail: string }[]).map(
    ({ field, detail }) => `- ${field}: false. ${why ?? ''} ${detail}`,
  )
  const told = [...weaker, ...notes.map((one) => `- ${one}`)]
  note(context, `\n${told.join('\n')}\n- See docs/integrate/${options.for}.md.`)
  if (secret !== undefined) note(context, 'The client_secret is shown this once: keep it now.')
}

const withoutLinks = (markdown: string): string => markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
