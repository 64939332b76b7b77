/** Tessera, and the peers that are Node packages of this folder. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  authorizeRequest,
  people,
  redirectUri,
  signIn,
  TestBrowser,
} from '../../server/test/harness/browser.ts'
import { processesOf } from '../cpu.ts'
import { newFolder, remove, startService } from '../service.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { countThreads, runScript } from './processes.ts'
import { authorization, type Target } from './target.ts'

const folder = new URL('.', import.meta.url).pathname

/** Installs what package-lock.json says, once: the product's own installation knows nothing of the peers. */
export function installPeers(): void {
  if (existsSync(join(folder, 'node_modules/oidc-provider'))) return
  process.stdout.write('Installing the peers into bench/peers/node_modules, once …\n')
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('The peers could not be installed: see what npm says above.')
}

function versionOf(name: string): string {
  const path = join(folder, 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}

export async function startTessera(): Promise<Target> {
  const service = await startService(await freePort())
  const pids = processesOf(service.pid)
  const browser = new TestBrowser(service.url)
  await signIn(browser, authorizeRequest().path, people.importer)
  const manifest = new URL('../../server/package.json', import.meta.url)
  return {
    name: 'Tessera',
    version: (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version,
    issuer: service.url,
    port: service.port,
    jwks: '/oauth2/jwks',
    authorize: '/oauth2/authorize',
    token: '/oauth2/token',
    cookie: browser.cookieHeader(),
    web: {
      client_id: 'submissions-web',
      redirect_uri: redirectUri,
      scope: 'openid email profile service.api',
    },
    machine: { client_id: 'nightly-import', client_secret: 'nightly-import-development-secret' },
    redirect: 303,
    refreshesIdToken: true,
    countCpu: () => countThreads(pids),
    async stop() {
      await service.stop()
      remove(service.folder)
    },
  }
}

export async function startOidcProvider(): Promise<Target> {
  const { known, pid, stop } = await runScript('oidc-provider.mjs', [String(await freePort())])
  // Its redirects lead through a sign-in that asks nothing.
  const browser = new TestBrowser(known.issuer)
  await browser.open(authorization(known).path)
  return {
    ...known,
    name: 'node-oidc-provider',
    version: versionOf('oidc-provider'),
    cookie: browser.cookieHeader(),
    redirect: 303,
    refreshesIdToken: true,
    countCpu: () => countThreads([pid]),
    stop,
  }
}

export async function startBetterAuth(): Promise<Target> {
  const database = newFolder()
  const { known, pid, stop } = await runScript('better-auth.mjs', [String(await freePort()), database])
  return {
    ...known,
    name: 'Better Auth',
    version: versionOf('better-auth'),
    cookie: known.cookie ?? '',
    redirect: 302,
    refreshesIdToken: true,
    countCpu: () => countThreads([pid]),
    async stop() {
      await stop()
      remove(database)
    },
  }
}
