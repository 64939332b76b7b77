/**
 * `npm run interop`: installs products from their package registries into temporary folders, pastes what `client
 * create --for` prints, signs in through each at a real Tessera, and writes what works into interop/results.json and
 * docs/integrate. `npm run interop -- NAME …` runs some; `--json` prints the results. It is no part of `npm test`: it
 * installs a lot.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Results, type Seen, writePages } from '../scripts/recipe-pages.ts'
import { readRecipe } from '../server/dist/administration/recipes.js'
import { readSettings, type Running, start } from '../server/dist/server.js'
import { freePort } from '../server/dist/http/free-port.js'
import { launchChromium } from '../server/test/harness/chromium.ts'
import { environmentOf, install, launch, run } from './install.ts'
import { journey } from './journey.ts'
import { paste, type Setting } from './paste.ts'
import type { Product } from './product.ts'
import { throughProxy } from './forward-auth.ts'
import { products } from './products.ts'
import { proxies } from './proxies.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const resultsFile = join(root, 'interop/results.json')
const json = process.argv.includes('--json')
const named = process.argv.slice(2).filter((one) => !one.startsWith('--'))
const names = [...products, ...proxies].map(({ name }) => name)
const isAsked = ({ name }: { name: string }) => named.length === 0 || named.includes(name)
const say = (text: string) => void process.stderr.write(`${text}\n`)

interface Service {
  folder: string
  issuer: string
  audience: string
  environment: Record<string, string>
}

async function main(): Promise<void> {
  for (const product of products) versionOf(product)
  const unknown = named.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')} in interop/products.ts.`)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-interop-'))
  let running: Running | undefined
  try {
    const audience = `http://127.0.0.1:${await freePort('127.0.0.1', 0)}/mcp`
    const people = readFileSync(join(root, 'interop/people.yaml'), 'utf8').replace(
      'audience: AUDIENCE',
      `audience: ${audience}`,
    )
    writeFileSync(join(folder, 'people.yaml'), people)
    const environment = {
      TESSERA_MODE: 'development',
      TESSERA_DATABASE_URL: `sqlite:${join(folder, 'tessera.sqlite')}`,
      TESSERA_SECRET: 'a secret of the interop run, long enough for production',
    }
    const settings = readSettings({
      ...environment,
      TESSERA_PORT: '0',
      TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES: 'true',
      TESSERA_LOG_LEVEL: 'silent',
      TESSERA_DECLARED: join(folder, 'people.yaml'),
    })
    running = await start({ ...settings, host: 'localhost' })
    const { issuer } = running
    await each({ folder, issuer, audience, environment: { ...environment, TESSERA_ISSUER: issuer } })
  } finally {
    await running?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function each(service: Service): Promise<void> {
  const browser = await launchChromium()
  const seen: Seen[] = []
  const see = (one: Seen) => {
    seen.push(one)
    keep(one)
    say(lineOf(one))
  }
  try {
    for (const product of products.filter(isAsked)) see(await ofProduct(browser, service, product))
    for (const proxy of proxies.filter(isAsked)) see(await throughProxy(browser, proxy))
  } finally {
    await browser.close()
  }
  writePages()
  if (json) process.stdout.write(readFileSync(resultsFile, 'utf8'))
  if (!seen.every(works)) process.exitCode = 1
}

/** In the place of what was seen of it before. */
function keep(one: Seen): void {
  const { seen } = JSON.parse(readFileSync(resultsFile, 'utf8')) as Results
  const all = [one, ...seen.filter(({ name }) => name !== one.name)]
  const results: Results = {
    node: process.version.slice(1),
    seen: names.flatMap((name) => all.filter((other) => other.name === name)),
  }
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
}

const works = ({ signs_in, refreshes, calls, signs_out }: Seen): boolean =>
  ![signs_in, refreshes, calls, signs_out].includes(false)

const lineOf = ({ name, version, ...seen }: Seen) =>
  `${name} ${version}: ${Object.entries(seen)
    .filter(([, value]) => typeof value === 'boolean')
    .map(([what, value]) => `${what} ${value ? 'yes' : 'NO'}`)
    .join(', ')}`

async function ofProduct(
  browser: Awaited<ReturnType<typeof launchChromium>>,
  service: Service,
  product: Product,
): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), `tessera-interop-${product.name}-`))
  const { name, note } = product
  const said = { name, version: versionOf(product), date: new Date().toISOString().slice(0, 10) }
  let stop = async (): Promise<void> => {}
  try {
    say(`${name}: installing`)
    await install(product, folder)
    const url = `http://127.0.0.1:${await freePort('127.0.0.1', 0)}`
    const { settings, told } = await registered(service, product, url)
    paste(product, folder, settings)
    const env = { ...environmentOf(folder), ...told, ...product.environment }
    for (const line of product.build ?? []) await run(folder, line, env)
    stop = launch(product, folder, env)
    await answers(`${url}${product.up ?? '/'}`)
    const { problem, ...seen } = await journey(browser, url, product.paths)
    if (problem !== undefined) say(`${name}: ${problem}\n${logOf(folder)}`)
    return { ...said, ...seen, ...(note !== undefined && { note }) }
  } catch (error) {
    say(`${name}: ${String(error)}\n${logOf(folder)}`)
    return { ...said, signs_in: false }
  } finally {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The end of what its application said. */
const logOf = (folder: string): string => {
  const file = join(folder, 'log')
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-3000) : ''
}

/** As the recipe says, which names that of the first package: the product. */
function versionOf({ name, npm, pip, go, command, deb, cargo, maven }: Product): string {
  const [first = ''] =
    pip ?? (command === undefined ? (deb ?? npm ?? go ?? cargo ?? [maven ?? '']) : [command])
  const pinned = first.replace(/^.+?(@v?|==?)(?=\d)/, '')
  const { version } = readRecipe(name)
  if (version.includes(pinned)) return version
  throw new Error(`The recipe of ${name} says ${version}; it is run with ${pinned}.`)
}

interface Registered {
  settings: Setting[]
  /** What its application is told, beside what is pasted. */
  told: Record<string, string>
}

/** Registers its client by its recipe. */
async function registered(
  { environment, issuer, audience }: Service,
  { name, options = [], at }: Product,
  url: string,
): Promise<Registered> {
  const command = [process.execPath, join(root, 'server/bin/tessera.cjs'), 'client', 'create', '--for', name]
  const { PATH = '', HOME = '' } = process.env
  const where = at === 'audience' ? audience : url
  const line = [...command, '--url', where, '--first-party', '--json', ...options]
  const made = JSON.parse(await run(root, line, { PATH, HOME, ...environment })) as Registered & {
    client_id: string
    client_secret?: string
  }
  const told = {
    ISSUER: issuer,
    URL: url,
    PORT: new URL(url).port,
    CLIENT_ID: made.client_id,
    CLIENT_SECRET: made.client_secret ?? '',
    AUDIENCE: audience,
    PERMISSION: 'tools.person.read',
    GUARD: join(root, 'guard/dist/index.js'),
  }
  return { settings: made.settings, told }
}

async function answers(url: string): Promise<void> {
  const end = Date.now() + 120_000
  for (;;) {
    const status = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5000) }).then(
      (answer) => answer.status,
      () => undefined,
    )
    if (status !== undefined && status < 400) return
    if (Date.now() > end) throw new Error(`Nothing answered at ${url} within two minutes.`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

await main()
