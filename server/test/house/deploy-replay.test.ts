/** The image without a builder of images: what the Dockerfile makes starts, signs somebody in, and tells its health. */
import { execFile } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../dist/protocol/version.js'
import { people, tokensFor } from '../harness/browser.ts'
import { cleanUp, freePort, Serving, temporaryFolder } from '../harness/process.ts'
import { type Image, replay, user } from './deploy-replay.ts'
import { root } from './support.ts'

const execute = promisify(execFile)
let image: Image
let command: string
beforeAll(() => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  image = replay(folder)
  command = image.entrypoint[1] ?? ''
})
afterAll(cleanUp)

/** The service of the image by its user, with people to sign in; the container's variables, unless told otherwise. */
async function serve(changes: Record<string, string> = {}) {
  const port = String(await freePort(changes.TESSERA_HOST ?? '127.0.0.1'))
  const declared = join(image.root, 'tmp-acme.yaml')
  cpSync(join(root, 'server/test/fixtures/acme.yaml'), declared)
  chmodSync(declared, 0o644)
  const environment = {
    ...image.environment,
    NODE_ENV: 'production',
    TESSERA_PORT: port,
    TESSERA_DECLARED: declared,
    ...changes,
  }
  const node = join(image.root, 'usr/local/bin/node')
  const options = { user, node }
  const serving = await Serving.start(environment, join(image.root, 'app'), command, options)
  return { serving, environment, port }
}

/** The exit code of the health check. */
async function health(environment: Record<string, string>): Promise<unknown> {
  const [program = '', ...args] = image.healthcheck
  const env = { PATH: '/usr/bin:/bin', ...environment }
  return await execute(program, args, { env, timeout: 10_000, ...user }).then(
    () => 0,
    (error: { code: unknown }) => error.code,
  )
}

const filesOf = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' })

describe('the image', () => {
  it('holds nothing that no running service reads, and nothing for another system', () => {
    const files = filesOf(join(image.root, 'app'))
    expect(files.filter((file) => /\.(d\.[mc]?ts|ts|map|tsbuildinfo|c|cpp|cc|h|gyp)$/.test(file))).toEqual([])
    const native = files.filter((file) => file.endsWith('.node')).map((file) => file.split('/')[2])
    expect(native.length).toBeGreaterThan(2)
    const prebuilt = files.filter((file) => /prebuilds\/.*\.node$/.test(file))
    expect(prebuilt).toEqual([expect.stringContaining(`/prebuilds/${process.platform}-${process.arch}/`)])
  })

  it('keeps every licence', () => {
    const named = (file: string) => /(^|\/)(licen[cs]e|notice|copying)/i.test(file)
    const here = filesOf(join(image.root, 'app/node_modules')).filter(named)
    expect(here.length).toBeGreaterThan(100)
    expect(existsSync(join(image.root, 'app/LICENSE'))).toBe(true)
  })

  it('has no package manager, the command on the PATH, and /data for its user and group 0', async () => {
    for (const gone of ['usr/local/bin/npm', 'usr/local/lib/node_modules', 'opt/yarn-v1'])
      expect([gone, existsSync(join(image.root, gone))]).toEqual([gone, false])
    const env = { PATH: `${image.root}/usr/local/bin:/usr/bin:/bin` }
    expect((await execute('tessera', ['--version'], { env, ...user })).stdout).toBe(`${version}\n`)
    expect(image.chowned).toEqual([`1000:0 ${image.root}/data`])
    expect(statSync(join(image.root, 'data')).mode & 0o777).toBe(0o770)
    expect(lstatSync(join(image.root, 'app/data')).isSymbolicLink()).toBe(true)
  })

  it('loads every library that the service names', async () => {
    const program = `
      const { dependencies } = JSON.parse(fs.readFileSync('package.json', 'utf8'))
      const pages = ['swagger-ui-dist']
      const names = Object.keys(dependencies).filter((name) => !pages.includes(name))
      for (const name of names) await import(name)
      process.stdout.write(String(names.length))`
    const cwd = join(image.root, 'app/server')
    writeFileSync(join(cwd, 'load.mjs'), `import fs from 'node:fs'\n${program}`)
    const { stdout } = await execute(join(image.root, 'usr/local/bin/node'), ['load.mjs'], { cwd, ...user })
    expect(Number(stdout)).toBeGreaterThan(20)
  })
})

describe('a container of it', () => {
  it('signs somebody in, shows the console and the interface, and is healthy until it stands still', async () => {
    const { serving, environment, port } = await serve()
    const url = `http://localhost:${port}`
    expect(await tokensFor(url, people.importer)).toHaveProperty('id_token')
    const page = await (await fetch(`${url}/console`)).text()
    const [, script = ''] = /src="([^"]+\.js)"/.exec(page) ?? []
    expect((await fetch(new URL(script, url))).status).toBe(200)
    const described = await fetch(`${url}/api/doc`)
    const assets = [...(await described.text()).matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)]
    expect(assets.length).toBeGreaterThan(1)
    for (const [, one = ''] of assets)
      expect([one, (await fetch(new URL(one, described.url))).status]).toEqual([one, 200])
    expect(readdirSync(join(image.root, 'data'))).toContain('tessera.sqlite')

    expect(await health(environment)).toBe(0)
    expect(await health({ ...environment, TESSERA_PORT: String(await freePort()) })).toBe(1)
    serving.signal('SIGSTOP')
    expect(await health(environment)).toBe(1)
    serving.signal('SIGCONT')
    expect(await health(environment)).toBe(0)
    expect((await serving.stop()).code).toBe(0)
    expect(await health(environment)).toBe(1)
  })

  it('is healthy at the address of IPv6 that is set', async () => {
    const { serving, environment } = await serve({ TESSERA_HOST: '::1' })
    expect(await health(environment)).toBe(0)
    expect(await health({ ...environment, TESSERA_HOST: '0.0.0.0' })).toBe(1)
    await serving.stop('SIGKILL')
  })
})
