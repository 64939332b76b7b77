/**
 * deploy/compose.yaml, started by podman-compose with the image that the part `image` made, on the ports 80 and 443 of
 * this machine. The images of PostgreSQL and Caddy must be there by their names.
 */
import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { becomeAdministrator } from './deploy-console.ts'
import { isHealthy, output, podman, repository, tag } from './deploy-image.ts'
import { askedWhile, statusOf } from './deploy-requests.ts'

const url = 'https://localhost'
const services = ['tessera_tessera-1_1', 'tessera_tessera-2_1'] as const
type Say = (line: string) => void

export async function checkCompose(say: Say): Promise<void> {
  for (const image of [tag, 'postgres:18-bookworm', 'caddy:2'])
    if (spawnSync('podman', ['image', 'exists', image]).status !== 0)
      throw new Error(`There is no image ${image}`)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-compose-'))
  writeSecrets(folder)
  process.env.ISSUER_HOST = 'localhost'
  // The proxy makes a certificate of its own for this name.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  process.env.IMAGE_TAG = tag.split(':')[1] ?? ''
  const options =
    process.env.DEPLOY_CHECK_RUN === undefined ? [] : [`--podman-run-args=${process.env.DEPLOY_CHECK_RUN}`]
  try {
    output('podman-compose', [...options, 'up', '--detach', '--no-build'], folder)
    await answers('/.well-known/openid-configuration', 200)
    for (const path of ['/health/ready', '/health/live', '/metrics']) await answers(path, 404)
    say(`${output('podman-compose', ['--version']).split('\n')[0]}: ${versions()}, ready behind TLS`)
    await checkVisitor(say)
    await checkRestarts(say)
  } finally {
    output('podman-compose', ['down', '--volumes'], folder)
    rmSync(folder, { recursive: true })
  }
}

/** What the first lines of the file say to do. */
function writeSecrets(folder: string): void {
  for (const file of ['compose.yaml', 'Caddyfile'])
    cpSync(join(repository, 'deploy', file), join(folder, file))
  mkdirSync(join(folder, 'secrets'), { mode: 0o711 })
  const password = randomBytes(24).toString('hex')
  const secrets = {
    tessera: randomBytes(32).toString('base64'),
    postgres: password,
    database: `postgres://tessera:${password}@postgres:5432/tessera`,
  }
  for (const [name, secret] of Object.entries(secrets))
    writeFileSync(join(folder, 'secrets', name), `${secret}\n`)
}

const versions = () =>
  [
    podman('exec', 'tessera_postgres_1', 'postgres', '--version'),
    `Caddy ${podman('exec', 'tessera_proxy_1', 'caddy', 'version').split(' ')[0]}`,
  ].join(', ')

async function answers(path: string, expected: number): Promise<void> {
  let got = 0
  for (let tries = 0; tries < 120; tries += 1) {
    got = await statusOf(`${url}${path}`)
    if (got === expected) return
    await setTimeout(500)
  }
  throw new Error(`${path} is answered by ${got}: ${podman('logs', services[0])}`)
}

/** Somebody becomes the administrator; the audit has the address that the proxy saw, and not the proxy's own. */
async function checkVisitor(say: Say): Promise<void> {
  await becomeAdministrator(url, podman('exec', services[0], 'tessera', 'setup', '--link'))
  const records = podman('exec', services[1], 'tessera', 'audit', 'list', '--json')
  const addresses = [...records.matchAll(/"address": "([^"]+)"/g)].map(([, address = '']) => address)
  if (addresses.length === 0 || addresses.includes('172.30.77.2'))
    throw new Error(`The audit has the addresses ${addresses.join()}`)
  say(`a first administrator, whose address (${addresses[0]}) is in the audit in place of the proxy's`)
}

/** Restarts one service after the other under requests, none of which may fail. */
async function checkRestarts(say: Say): Promise<void> {
  const asked = await askedWhile(`${url}/.well-known/openid-configuration`, async () => {
    for (const name of services) {
      await promisify(execFile)('podman', ['restart', '--time=30', name])
      await isHealthy(name)
      // The proxy asks every two seconds who is ready.
      await setTimeout(3000)
    }
  })
  say(`each service restarted under ${asked} requests, none of which failed`)
}
