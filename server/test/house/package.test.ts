/** Both packages as whoever installs them gets them: packed, unpacked elsewhere, and run there. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../dist/protocol/version.js'
import { cleanUp, run, temporaryFolder, TesseraProcess } from '../harness/process.ts'

const repository = fileURLToPath(new URL('../../..', import.meta.url))
const execute = promisify(execFile)

/** What `npm install` of the two would make, but for the registry: what they ask for is linked to what is here. */
async function installed(): Promise<string> {
  const folder = temporaryFolder()
  const arguments_ = ['pack', '--json', '-w', 'server', '-w', 'guard', '--pack-destination', folder]
  await execute('npm', arguments_, { cwd: repository, maxBuffer: 2 ** 26 })
  for (const name of ['server', 'guard']) {
    const unpacked = join(folder, 'node_modules/@tessera', name)
    mkdirSync(unpacked, { recursive: true })
    const tarball = join(folder, `tessera-${name}-${version}.tgz`)
    await execute('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'])
    rmSync(tarball)
    const { dependencies } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    for (const one of Object.keys(dependencies)) link(one, join(folder, 'node_modules'))
  }
  return folder
}

function link(name: string, modules: string): void {
  const to = join(modules, name)
  if (name.startsWith('@tessera/') || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(join(repository, 'node_modules', name), to)
}

describe('what is installed from the packed tarballs', () => {
  let folder: string
  let server: string
  let command: string
  beforeAll(async () => {
    folder = await installed()
    server = join(folder, 'node_modules/@tessera/server')
    command = join(server, 'bin/tessera.cjs')
  })
  afterAll(cleanUp)

  it('is a command, and a module to import', async () => {
    expect(await run(['--version'], { command })).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
    const program = `import('@tessera/server').then(({ start }) => process.stdout.write(typeof start))`
    const { stdout } = await execute(process.execPath, ['-e', program], { cwd: folder })
    expect(stdout).toBe('function')
  })

  it('has the readme and the licence of the whole, and leaves no copy of them here', () => {
    const guard = join(folder, 'node_modules/@tessera/guard')
    const licence = readFileSync(join(repository, 'LICENSE'), 'utf8')
    for (const one of [server, guard]) {
      expect(readFileSync(join(one, 'LICENSE'), 'utf8')).toBe(licence)
      expect(readFileSync(join(one, 'README.md'), 'utf8')).toMatch(/^# /)
    }
    expect(readFileSync(join(server, 'README.md'), 'utf8')).toContain('@tessera/server')
    for (const one of [
      'server/README.md',
      'server/LICENSE',
      'server/docs',
      'server/examples',
      'guard/LICENSE',
    ])
      expect([one, existsSync(join(repository, one))]).toEqual([one, false])
  })

  it('has no link that leads nowhere, and nothing of a build or of tests, such as what 0.1.0 made', () => {
    const files = [
      'README.md',
      ...readdirSync(join(server, 'docs'), { recursive: true }).map((file) => `docs/${String(file)}`),
    ]
    const dead = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => {
        const links = readFileSync(join(server, file), 'utf8').matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)
        return [...links].filter(([, to = '']) => !existsSync(join(server, dirname(file), to)))
      })
    expect(dead.map(([link]) => link)).toEqual([])
    const left = readdirSync(join(server, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(left.filter((file) => /tsbuildinfo|\.compiled$/.test(file))).toEqual([])
    expect(readdirSync(server).filter((name) => ['test', 'src'].includes(name))).toEqual([])
  })

  it('runs tessera dev, with the examples and their people', async () => {
    const cwd = temporaryFolder()
    const dev = new TesseraProcess(['dev'], { cwd, command, environment: { TESSERA_PORT: '0' } })
    await dev.prints(/Stop with Ctrl\+C/)
    const [, web = ''] = /begin here\s+(http\S+)/.exec(dev.stdout) ?? []
    const page = await fetch(web)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Sign in')])
    expect((await fetch(`${web}/style.css`)).status).toBe(200)
    const asked = await fetch(`${web}/sign-in`, { redirect: 'manual' })
    // The example found the service's addresses, and is known there.
    const signIn = await fetch(asked.headers.get('location') ?? '', { redirect: 'manual' })
    expect(signIn.status).toBe(303)
    const [, api = ''] = /the protected API\s+(http\S+)/.exec(dev.stdout) ?? []
    expect((await fetch(`${api}/submissions/vista-import`)).status).toBe(401)
    expect(await dev.stop()).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(cwd)).toEqual(['data'])
  })

  it('says what to do where the examples are missing', async () => {
    const examples = join(server, 'examples')
    rmSync(join(examples, 'submissions-web'), { recursive: true })
    const environment = { TESSERA_PORT: '0' }
    const cwd = temporaryFolder()
    const { code, complaints } = await run(['dev'], { cwd, command, environment })
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: [expect.stringMatching(/^tessera: examples\/submissions-web\S+ is not there/)],
    })
    expect(existsSync(join(cwd, 'data/0/tessera.sqlite'))).toBe(false)
    rmSync(examples, { recursive: true })
    expect(await run(['dev'], { cwd, command, environment })).toMatchObject({
      code: 1,
      complaints: [expect.stringMatching(/examples\/development.yaml is not there/)],
    })
  })
})
