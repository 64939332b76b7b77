/**
 * The pages of docs/integrate, from the recipes that `tessera client create --for` registers by. After a change of a
 * recipe, or of interop/results.json: npm run recipes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import {
  clientOf,
  type Filling,
  notesOf,
  type Recipe,
  readRecipe,
  recipeNames,
  settingsOf,
} from '../server/dist/administration/recipes.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = `${root}docs/integrate/`

export const issuerOfPages = 'https://id.example.com'
export const secretOfPages = 'CLIENT_SECRET'
export const randomOfPages = 'RANDOM_SECRET'
/** A hash whose secret nobody has. */
const hashOfPages = 'sha256:5h6afMqp1whGTzagqYDkKuFnNPu1-UTA9jlzy7-5Iqk'

/** What `npm run interop` saw of a product. */
export interface Seen {
  name: string
  version: string
  date: string
  signs_in: boolean
  /** Undefined: it can't, or nobody would. */
  refreshes?: boolean
  calls?: boolean
  signs_out?: boolean
  /** What was run beside it, or what went wrong. */
  note?: string
}

export interface Results {
  node: string
  seen: Seen[]
}

/** Every page, by the name of its file. */
export function recipePages(): Map<string, string> {
  const recipes = recipeNames().map((name) => [name, readRecipe(name)] as const)
  const pages = recipes.map(([name, recipe]) => [`${name}.md`, pageOf(name, recipe)] as const)
  return new Map([['README.md', indexOf(recipes)], ...pages])
}

function pageOf(name: string, recipe: Recipe): string {
  const { product, version, ran } = recipe
  const filling = fillingOfPages(name, recipe)
  const run = {
    true: `Run by [\`npm run interop\`](README.md#what-was-run): ${version}.`,
    false: `Read, not run: ${version}.`,
    'by hand': `Run by hand: ${version}.`,
  }[`${ran}`]
  const settings = settingsOf(recipe, filling).map(
    ({ where, language, text }) => `In ${where}:\n\n${fenced(language, text)}`,
  )
  const notes = notesOf(recipe, filling).map((one) => `- ${one}`)
  const parts = [
    `# ${product}`,
    run,
    ...registration(name, recipe),
    '## Its settings',
    ...standIns(recipe),
    ...settings,
    ...(notes.length > 0 ? ['## Traps', notes.join('\n')] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

export function fillingOfPages(name: string, recipe: Recipe): Filling {
  const { url = '' } = recipe
  const { redirect_uris, scope } = clientOf(recipe, url)
  return {
    issuer: issuerOfPages,
    url,
    client_id: name,
    client_secret: secretOfPages,
    scope: String(scope),
    redirect_uri: Array.isArray(redirect_uris) ? String(redirect_uris[0]) : '',
    random: randomOfPages,
  }
}

/** What stands on the page where the command prints a secret. */
function standIns({ settings }: Recipe): string[] {
  const has = (name: string) => settings.some(({ text }) => text.includes(`{{${name}}}`))
  const told = [
    has('client_secret') && `\`${secretOfPages}\` is the secret of the client`,
    has('random') &&
      `\`${randomOfPages}\` is one of its own, as \`openssl rand -base64 32 | tr -- '+/' '-_'\` makes it`,
  ].filter((one) => one !== false)
  return told.length === 0 ? [] : [`Here ${told.join(', and ')}. The command prints real ones.`]
}

function registration(name: string, recipe: Recipe): string[] {
  const { url = '', why, service } = recipe
  if (service !== undefined) {
    const snippet = { services: [{ code: 'shop', ...service }] }
    return [
      '## The service',
      'In the [declared file](../declared-file.md):',
      fenced('yaml', yaml(snippet)),
      why ?? '',
    ]
  }
  const client = clientOf(recipe, url)
  const hash = client.type === 'web' ? { client_secret_hash: hashOfPages } : {}
  const snippet = { clients: [{ client_id: name, ...client, ...hash }] }
  const command = `npx tessera client create --for ${name}${url === '' ? '' : ` --url ${url}`}`
  const made = client.type === 'web' ? ' `npx tessera hash secret` makes the secret and its hash.' : ''
  return [
    '## The client',
    `${fenced('sh', command)}\n\nregisters it, and prints the settings below. Or in the [declared file](../declared-file.md):`,
    fenced('yaml', yaml(snippet)) + (made === '' ? '' : `\n\n${made.trim()}`),
    ...weakenings(client, why),
  ]
}

function weakenings(client: Record<string, unknown>, why = ''): string[] {
  const weaker = Object.keys(client).filter((field) => field.startsWith('require_'))
  if (weaker.length === 0) return []
  const fields = weaker.map((field) => `\`${field}: false\``).join(' and ')
  return [`${fields} is [a weakening](../security.md#what-a-client-may-do-without). ${why}`]
}

const yaml = (value: object): string => stringify(value, { lineWidth: 0 })
const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``

function indexOf(recipes: readonly (readonly [string, Recipe])[]): string {
  const rows = recipes.map(([name, recipe]) => {
    const { product, version, ran, client } = recipe
    const weaker = Object.keys(client ?? {}).filter((field) => field.startsWith('require_'))
    const kind = client === undefined ? 'a service' : `\`${String(client.type)}\``
    return `| [${product}](${name}.md) | ${kind} | ${weaker.join(', ')} | ${ran ? 'run' : 'read'}: ${version} |`
  })
  return `# Products that sign people in here

One page for each: its client, its own settings, what was run or read, and its traps. \`npx tessera client create --for grafana --url https://grafana.example.com\` registers the client of a page, and prints the settings with their secrets, ready to paste. With \`--for\`, \`--url\` is where the product is; the command asks the service of \`TESSERA_URL\`, or works on the database. Other options change what the page says: \`--first-party\` saves people the consent, \`--redirect-uri\` names another address, \`--allow-role developer\` says [who may enter](../administration.md#who-may-enter).

For a product that is not here: [\`--for other\`](other.md), which asks what it sends; and [what a library must send](../integrate-browser-app.md#what-a-library-must-send).

| product | client | without | run or read |
|---|---|---|---|
${rows.join('\n')}

## What was run

${resultsText(recipes)}`
}

function resultsText(recipes: readonly (readonly [string, Recipe])[]): string {
  const file = `${root}interop/results.json`
  if (!existsSync(file)) return 'Nothing yet.\n'
  const { node, seen } = JSON.parse(readFileSync(file, 'utf8')) as Results
  const products = new Map(recipes.map(([name, { product }]) => [name, product]))
  const mark = (value: boolean | undefined) => (value === undefined ? '–' : value ? 'yes' : '**no**')
  const rows = seen.map(
    ({ name, version, date, signs_in, refreshes, calls, signs_out, note }) =>
      `| [${products.get(name) ?? name}](${name}.md) | ${version} | ${date} | ${[signs_in, refreshes, calls, signs_out].map(mark).join(' | ')} | ${note ?? ''} |`,
  )
  return `\`npm run interop\` on Node.js ${node}. Each product was installed from its package registry at that version (nginx and Caddy are those of the machine), its client was registered by \`client create --for\`, what that printed was pasted character by character, and a person signed in through the real pages. “Calls”: userinfo, or an API behind the guard. “Signs out”: of the application, and here too where it can. –: it has no such thing.

| product | version | when | signs in | refreshes | calls | signs out | |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`
}

export function writePages(): void {
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder)) rmSync(`${folder}${file}`)
  for (const [file, text] of recipePages()) writeFileSync(`${folder}${file}`, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writePages()
