/**
 * What `npm run interop -- nginx-forward-auth` and the like do: a real proxy with what its page says, before an
 * application that says what reached it, and a browser.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo, Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import type { Seen } from '../scripts/recipe-pages.ts'
import { readRecipe } from '../server/dist/administration/recipes.js'
import { freePort } from '../server/dist/http/free-port.js'
import { readSettings, start } from '../server/dist/server.js'
import { checks } from './forward-auth-checks.ts'
import { environmentOf, install, launch, run } from './install.ts'
import type { Setting } from './paste.ts'
import type { Product } from './product.ts'
import { between, protectedApp, toldHeaders } from './protected-app.ts'
import { environmentOfPage, pastedOf, type Places, type Proxy } from './proxies.ts'
import { send } from './raw-request.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const say = (text: string) => void process.stderr.write(`${text}\n`)

/** What its checks are asked by, beside those of everybody. */
const routes = {
  '* /*': 'signed-in',
  'GET /public/*': 'public',
  'OPTIONS /*': 'signed-in',
  '* /admin/*': 'tools.person.edit',
}

export async function throughProxy(browser: Browser, proxy: Proxy): Promise<Seen> {
  const { name } = proxy
  const folder = mkdtempSync(join(tmpdir(), `tessera-interop-${name}-`))
  const said = { name, version: readRecipe(name).version, date: new Date().toISOString().slice(0, 10) }
  const ends: (() => Promise<unknown>)[] = []
  try {
    await install(asProduct(proxy), folder)
    await checkVersion(proxy, folder)
    const { app, places, service } = await startAll(proxy, folder, ends)
    const { failed, passed } = await checks({ browser, app, origin: places.origin, ...service })
    for (const one of failed) say(`${name}: ${one}`)
    if (failed.length > 0) say(logOf(folder))
    return { ...said, signs_in: failed.length === 0, signs_out: failed.length === 0, note: passed.join(', ') }
  } catch (error) {
    say(`${name}: ${String(error)}\n${logOf(folder)}`)
    return { ...said, signs_in: false }
  } finally {
    for (const end of ends.reverse()) await end()
    rmSync(folder, { recursive: true, force: true })
  }
}

const logOf = (folder: string): string => {
  const file = join(folder, 'log')
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-3000) : ''
}

async function checkVersion({ name, version }: Proxy, folder: string): Promise<void> {
  const [program = ''] = version
  const line = ['sh', '-c', `${version.join(' ')} 2>&1`]
  const told = await run(folder, line, environmentOf(folder)).catch(() => undefined)
  if (told === undefined) throw new Error(`${program} is not installed on this machine.`)
  if (!told.includes(readRecipe(name).version))
    throw new Error(`The recipe says ${readRecipe(name).version}; here is ${told.trim()}.`)
}

async function listening(server: Server, ends: (() => Promise<unknown>)[]): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket) => open.add(socket.on('close', () => open.delete(socket))))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

async function startAll(proxy: Proxy, folder: string, ends: (() => Promise<unknown>)[]) {
  const app = protectedApp()
  const [port, issuerPort] = [await freePort('127.0.0.1', 0), await freePort('127.0.0.1', 0)]
  const relay = between(issuerPort)
  const places: Places = {
    folder,
    port,
    origin: `https://wiki.localhost:${port}`,
    app: await listening(app.server, ends),
    service: await listening(relay.server, ends),
  }
  const environment = {
    TESSERA_MODE: 'development',
    TESSERA_DATABASE_URL: `sqlite:${join(folder, 'tessera.sqlite')}`,
    TESSERA_SECRET: 'a secret of the interop run, long enough for production',
    TESSERA_ISSUER: `http://localhost:${issuerPort}`,
  }
  const running = await startService(proxy, folder, environment)
  ends.push(() => running.close())
  await proxy.write(places, pastedOf(await registered(proxy.name, places, environment), places))
  const env = { ...environmentOf(folder), XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  ends.push(launch(asProduct(proxy), folder, env))
  await answers(places.origin)
  return { app, places, service: { issuer: environment.TESSERA_ISSUER, between: relay } }
}

/** With what its page puts into the environment. */
async function startService({ name }: Proxy, folder: string, environment: Record<string, string>) {
  const people = readFileSync(join(root, 'interop/people.yaml'), 'utf8')
  const declared = join(folder, 'people.yaml')
  writeFileSync(declared, people.replace('audience: AUDIENCE', 'audience: https://tools.example/api'))
  const { port } = new URL(environment['TESSERA_ISSUER'] ?? '')
  const told = { TESSERA_PORT: port, TESSERA_LOG_LEVEL: 'silent', TESSERA_DECLARED: declared }
  const ofPage = environmentOfPage(readRecipe(name).settings)
  return await start({ ...readSettings({ ...environment, ...ofPage, ...told }), host: 'localhost' })
}

const asProduct = ({ name, start: line, pip = [] }: Proxy): Product => ({
  name,
  start: line,
  ...(pip.length > 0 && { pip }),
  pasted: [],
  paths: { login: '', who: '' },
})

async function registered(name: string, { origin }: Places, env: Record<string, string>): Promise<Setting[]> {
  const { PATH = '', HOME = '' } = process.env
  const command = [process.execPath, join(root, 'server/bin/tessera.cjs'), 'client', 'create', 'wiki']
  const page = ['--for', name, '--url', origin, '--first-party', '--json']
  const headers = toldHeaders.flatMap((one) => ['--header', one])
  const more = ['--routes', JSON.stringify(routes), '--service', 'tools', ...headers]
  const made = await run(root, [...command, ...page, ...more], { PATH, HOME, ...env })
  return (JSON.parse(made) as { settings: Setting[] }).settings
}

async function answers(origin: string): Promise<void> {
  const end = Date.now() + 30_000
  for (;;) {
    const { status } = await send(origin, { path: '/public/up' }).catch(() => ({ status: 0 }))
    if (status === 200) return
    if (Date.now() > end) throw new Error(`${origin} answered ${status} for half a minute.`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
