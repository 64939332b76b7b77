/** deploy/Dockerfile and the ignore file against the code, and against what must never reach a builder. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settingsSchema } from '../../dist/settings-schema.js'
import { readSettings } from '../../dist/server.js'
import { run } from '../harness/process.ts'
import { instructionsOf, isSent } from './deploy-support.ts'
import { read, root } from './support.ts'

const dockerfile = instructionsOf(read('deploy/Dockerfile'))
const all = (name: string) => dockerfile.filter(([one]) => one === name).map(([, rest]) => rest)
const packageOf = (folder: string) =>
  JSON.parse(read(join(folder, 'package.json'))) as {
    version: string
    description: string
    license: string
    engines: { node: string }
    dependencies: Record<string, string>
  }

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-image-'))
  writeFileSync(join(folder, 'secret'), 'Kq7-a-secret-of-the-deploy-tests-0123456789')
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('what is sent to the builder', () => {
  const planted = [
    '.env',
    '.npmrc',
    '.git/config',
    'server/.env',
    'server/.env.production',
    'server/src/.env',
    'server/src/oauth2/.env.local',
    'server/key.pem',
    'server/src/keys/signing.pem',
    'server/assets/tls.key',
    'server/bin/id.p12',
    'server/data/tessera.sqlite',
    'server/src/data/tessera.sqlite',
    'server/tessera.sqlite',
    'server/src/tessera.sqlite-wal',
    'server/test/fixtures/acme.yaml',
    'server/dist/server.js',
    'server/node_modules/jose/package.json',
    'guard/.npmrc',
    'guard/src/.npmrc',
    'guard/LICENSE',
    'console/.env',
    'console/src/.env',
    'console/src/api/types.d.ts',
    'console/node_modules/react/index.js',
    'data/tessera.sqlite',
    'deploy/.env',
    'deploy/secrets/tessera',
    'deploy/secrets/database',
    'deploy/image/secrets/token',
    'deploy/image/.env',
    'deploy/compose.yaml',
    'examples/wiki/.env',
    'examples/submissions-api/src/main.ts',
    'scripts/.env',
    'node_modules/jose/package.json',
    'access.yaml',
    'tessera.dump',
  ]

  it.each(planted)('is never %s', (path) => {
    expect(isSent(path)).toBe(false)
  })

  it('is each file that the Dockerfile copies', () => {
    const copies = all('COPY').filter((one) => !one.startsWith('--from'))
    const sources = copies.flatMap((one) => one.split(/\s+/).slice(0, -1))
    expect(sources.length).toBeGreaterThan(10)
    for (const source of sources) {
      expect(existsSync(join(root, source)), source).toBe(true)
      if (source !== 'console') expect(isSent(source), source).toBe(true)
    }
    for (const one of all('COPY').filter((copy) => copy.startsWith('--from=build'))) {
      const built = one.split(/\s+/)[1]?.replace('/build/', '') ?? ''
      expect(existsSync(join(root, built)), built).toBe(true)
    }
    for (const source of ['server/src/server.ts', 'console/src/main.tsx', 'console/build.mjs', 'LICENSE'])
      expect([source, isSent(source)]).toEqual([source, true])
  })

  it('is said in one file, which every builder reads', () => {
    const ignoring = readdirSync(join(root, 'deploy'), { recursive: true, encoding: 'utf8' })
    expect(ignoring.filter((file) => /(docker|container)ignore$/.test(file))).toEqual([])
    expect(existsSync(join(root, '.containerignore'))).toBe(false)
    // The older builder of Docker looks into no folder that only a wildcard leads to.
    const sent = read('.dockerignore').match(/^!.*$/gm) ?? []
    expect(sent.filter((line) => line.includes('*'))).toEqual([])
  })
})

describe('deploy/Dockerfile', () => {
  it('gives npm ci every workspace of the lock file, in both stages', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, unknown> }
    const workspaces = Object.keys(packages).filter((name) => name !== '' && !name.includes('node_modules'))
    expect(workspaces.length).toBeGreaterThan(2)
    for (const workspace of workspaces) {
      const copied = all('COPY').filter((one) => one === `${workspace}/package.json ${workspace}/`)
      expect(copied, `COPY ${workspace}/package.json ${workspace}/`).toHaveLength(2)
    }
  })

  it('leaves out no workspace that the service needs', () => {
    const needed = Object.keys(packageOf('server').dependencies).filter((name) =>
      name.startsWith('@tessera/'),
    )
    for (const name of ['@tessera/server', ...needed]) {
      const built = `${name.slice('@tessera/'.length)}/dist`
      expect(all('COPY'), `${name} is needed at run time`).toContain(`--from=build /build/${built} ${built}`)
    }
  })

  it('runs on a Node.js that is supported, and never as root', () => {
    const [, major = ''] = /NODE_IMAGE=node:(\d+)-/.exec(read('deploy/Dockerfile')) ?? []
    const [, least = ''] = /^>=(\d+)\./.exec(packageOf('server').engines.node) ?? []
    expect(Number(major)).toBeGreaterThanOrEqual(Number(least))
    // Odd majors get no long-term support.
    expect(Number(major) % 2).toBe(0)
    expect(all('USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  })

  it('keeps the embedded database on the volume, and leaves its address to either setting', () => {
    const { databaseUrl } = readSettings({
      TESSERA_ISSUER: 'https://id.example.com',
      TESSERA_SECRET_FILE: join(folder, 'secret'),
    })
    expect(databaseUrl).toBe('sqlite:data/tessera.sqlite')
    expect(all('RUN').join()).toContain('ln -s /data /app/data')
    expect(all('WORKDIR').at(-1)).toBe('/app')
    expect(all('VOLUME')).toEqual(['/data'])
    expect(all('ENV').join(' ')).not.toContain('TESSERA_DATABASE_URL')
  })

  it('listens where it says, and starts the command that exists', async () => {
    const port = String(settingsSchema.shape.TESSERA_PORT.parse(undefined))
    expect(all('EXPOSE')).toEqual([port])
    expect(all('ENV').join(' ')).toContain(`TESSERA_PORT=${port}`)
    expect(all('ENTRYPOINT')).toEqual(['["node", "/app/server/bin/tessera.cjs"]'])
    expect((await run([...(JSON.parse(all('CMD')[0] ?? '') as string[]), '--help'])).code).toBe(0)
  })

  it('says what the image is, and nothing of the machine that made it', () => {
    const { version } = packageOf('server')
    const { description, license } = packageOf('.')
    const labels = Object.fromEntries(
      [
        ...all('LABEL')
          .join(' ')
          .matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g),
      ].map(([, name = '', value = '']) => [name, value]),
    )
    expect(labels).toEqual({
      title: 'Tessera',
      description,
      licenses: license,
      version: '${VERSION}',
      revision: '${REVISION}',
    })
    const own = ['SOURCE_DATE_EPOCH', `VERSION=${version}`, 'REVISION=']
    expect(all('ARG')).toEqual([expect.stringMatching(/^NODE_IMAGE=/), ...own])
  })
})

describe('the health check of the image', () => {
  const check = async (environment: Record<string, string>): Promise<unknown> =>
    await promisify(execFile)('bash', [join(root, 'deploy/image/healthy.sh')], {
      env: { PATH: '/usr/bin:/bin', ...environment },
      timeout: 10_000,
    }).then(
      () => 0,
      (error: { code: unknown }) => error.code,
    )

  /** Asks a server that listens at an address and answers, as a container with this setting would. */
  async function answering(status: number | undefined, listens: string, host: string) {
    const server = createServer((request, response) => {
      if (status !== undefined) response.writeHead(request.url === '/health/live' ? status : 404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, listens, resolve))
    const code = await check({
      TESSERA_HOST: host,
      TESSERA_PORT: String((server.address() as AddressInfo).port),
    })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    return code
  }

  it.each(['0.0.0.0', '::', '::1', '127.0.0.1', '127.0.0.2', 'localhost'])('asks at %s', async (host) => {
    expect(await answering(200, host, host)).toBe(0)
  })

  it.each([
    ['an answer that is no 200', 503, '127.0.0.1', '127.0.0.1'],
    ['another page', 404, '::1', '::1'],
    ['no answer within its time', undefined, '127.0.0.1', '127.0.0.1'],
    ['another address', 200, '127.0.0.1', '127.0.0.2'],
    ['an address of IPv4 where it listens at one of IPv6', 200, '::1', '0.0.0.0'],
  ] as const)('fails with 1 at %s', async (_what, status, listens, host) => {
    expect(await answering(status, listens, host)).toBe(1)
  })

  it('fails with 1 where nobody listens', async () => {
    expect(await check({ TESSERA_HOST: '127.0.0.1', TESSERA_PORT: '1' })).toBe(1)
  })

  it('is what the image asks, by the program that its build looks for', () => {
    expect(all('HEALTHCHECK')).toEqual([expect.stringMatching(/ CMD \["bash", "\/app\/healthy\.sh"\]$/)])
    expect(all('COPY')).toContain('LICENSE deploy/image/healthy.sh ./')
    expect(all('RUN').at(-1)).toContain('bash --version')
  })
})
