/** What `npm run release` makes, twice of one state of the sources; and what it refuses. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chartSum } from '../../../scripts/deploy-chart.ts'
import { filesOf, makeArtefacts } from '../../../scripts/release/artefacts.ts'
import { released, sectionOf, versionsOf } from '../../../scripts/release/changelog.ts'
import { sha256, writePublish, writeSums } from '../../../scripts/release/publish.ts'
import { git, refuse } from '../../../scripts/release/refusals.ts'
import { run as execute } from '../../../scripts/release/run.ts'
import { type Bom, bomOfImage, debianComponents, nodeComponent } from '../../../scripts/release/sbom.ts'
import { compareVersions } from '../../../scripts/release/semver.ts'
import { setVersion, versionsIn } from '../../../scripts/release/versions.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import { read, root } from './support.ts'

afterAll(cleanUp)

const at = new Date('2026-11-27T12:00:00Z')
const named = [
  ...['.gitignore', 'package.json', 'package-lock.json', 'CHANGELOG.md', 'README.md', 'LICENSE'],
  ...['deploy/Dockerfile', 'deploy/helm', 'guard/package.json', 'guard/README.md', 'console/package.json'],
  ...['server/package.json', 'server/src/protocol/version.ts'],
  ...['submissions-api', 'submissions-web', 'wiki'].map((one) => `examples/${one}/package.json`),
]
const packed = [
  ...['scripts', 'docs', 'server/bin', 'server/assets', 'guard/src', 'guard/dist'],
  // What belongs into the package and what doesn't. All of the build takes npm three times as long, twice.
  ...['.tsbuildinfo', 'bundle', 'protocol'].map((one) => `server/dist/${one}`),
  ...['examples/development.yaml', 'examples/submissions-web/assets'],
  ...['api', 'web'].map((one) => `examples/submissions-${one}/dist`),
]

/** dpkg's list of what is installed, and of what was. */
const status = `Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36-9+deb12u1
Description: the C library
 Version: none of it

Package: perl
Status: deinstall ok config-files
Architecture: amd64
Version: 5.36
`

/** Some of the repository, elsewhere. */
function copyOf(files: readonly string[]): string {
  const folder = temporaryFolder()
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file), { recursive: true })
  }
  return folder
}

function change(folder: string, file: string, by: (text: string) => string): void {
  const before = readFileSync(join(folder, file), 'utf8')
  expect(by(before)).not.toBe(before)
  writeFileSync(join(folder, file), by(before))
}

const prepare = (folder: string, version: string): void => {
  setVersion(folder, version)
  change(folder, 'CHANGELOG.md', (text) => released(text, version, '2026-11-27'))
}

describe('a release', () => {
  /** A repository of its own, with a changelog of the version before and something unreleased. */
  function repository(): { folder: string; commit: () => void } {
    const folder = copyOf(named)
    const commit = (): void => {
      git(folder, 'add', '--all')
      git(folder, '-c', 'user.name=t', '-c', 'user.email=t@t.example', 'commit', '-qm', 'Change it')
    }
    git(folder, 'init', '--quiet')
    setVersion(folder, '0.1.0')
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      '# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.1.0] - 2026-01-01\n\n- Old.\n',
    )
    commit()
    return { folder, commit }
  }

  it('is refused for what is no version, or none that comes after the last', () => {
    const { folder } = repository()
    for (const version of [
      '',
      '0.2',
      'v0.2.0',
      '0.2.0.0',
      '00.2.0',
      '0.2.0-01',
      '0.2.0+1',
      '0.2.0 ',
      'latest',
    ])
      expect(() => refuse(folder, version, 'dry-run'), version).toThrow(
        'is no version of Semantic Versioning',
      )
    for (const version of ['0.0.9', '0.1.0-rc.1'])
      expect(() => refuse(folder, version, 'dry-run'), version).toThrow('does not come after 0.1.0')
    for (const version of ['0.1.1', '0.2.0-rc.1', '0.2.0', '0.10.0', '1.0.0'])
      expect(() => refuse(folder, version, 'dry-run'), version).not.toThrow()
    git(folder, 'tag', 'v0.3.0')
    expect(() => refuse(folder, '0.2.0', 'dry-run')).toThrow('does not come after 0.3.0')
    expect(() => refuse(folder, '0.10.0', 'dry-run')).not.toThrow()
  })

  it('is refused with changes that are not committed', () => {
    const { folder, commit } = repository()
    writeFileSync(join(folder, 'note.txt'), '')
    expect(() => refuse(folder, '0.2.0', 'dry-run')).toThrow(/not committed:\n\?\? note\.txt$/)
    commit()
    appendFileSync(join(folder, 'README.md'), '\n')
    for (const mode of ['release', 'dry-run', 'prepare'] as const)
      expect(() => refuse(folder, '0.2.0', mode)).toThrow(/not committed:\nM README\.md$/)
  })

  it('is refused while the version differs anywhere', () => {
    const { folder, commit } = repository()
    for (const [file, from, to] of [
      ['deploy/helm/tessera/Chart.yaml', 'appVersion: 0.1.0', 'appVersion: 0.1.1'],
      ['deploy/Dockerfile', 'ARG VERSION=0.1.0', 'ARG VERSION='],
      ['server/package.json', '"@tessera/guard": "0.1.0"', '"@tessera/guard": "^0.1.0"'],
      ['server/src/protocol/version.ts', "'0.1.0'", "'0.2.0'"],
      ['console/package.json', '"version": "0.1.0"', '"version": "0.0.0"'],
      ['package-lock.json', '"version": "0.1.0"', '"version": "0.2.0"'],
    ] as const) {
      change(folder, file, (text) => text.replace(from, to))
      commit()
      expect(() => refuse(folder, '0.2.0', 'dry-run'), file).toThrow('is not the same everywhere')
      git(folder, 'reset', '--quiet', '--hard', 'HEAD~')
    }
    expect(() => refuse(folder, '0.2.0', 'dry-run')).not.toThrow()
  })

  it('wants a section of the changelog, and one of the last version is not it', () => {
    const { folder, commit } = repository()
    expect(() => refuse(folder, '0.2.0', 'release')).toThrow(
      'no section [0.2.0]. Run npm run release -- 0.2.0',
    )
    expect(() => refuse(folder, '0.1.0', 'release')).toThrow('section [0.1.0], and something unreleased')
    expect(() => refuse(folder, '0.1.0', 'prepare')).toThrow('has a section [0.1.0] already')
    change(folder, 'CHANGELOG.md', (text) => released(text, '0.2.0', '2026-11-27'))
    commit()
    expect(() => refuse(folder, '0.2.0', 'release')).toThrow('but the version everywhere is 0.1.0')
    expect(() => refuse(folder, '0.3.0', 'dry-run')).toThrow('no section [0.3.0], and nothing is unreleased')
  })

  it('is made of a commit that was prepared, and again of that one alone', () => {
    const { folder, commit } = repository()
    prepare(folder, '0.2.0')
    expect(() => refuse(folder, '0.2.0', 'release')).toThrow('not committed')
    commit()
    expect(() => refuse(folder, '0.2.0', 'release')).not.toThrow()
    git(folder, 'tag', 'v0.2.0')
    expect(() => refuse(folder, '0.2.0', 'release')).not.toThrow()
    writeFileSync(join(folder, 'note.txt'), '')
    commit()
    expect(() => refuse(folder, '0.2.0', 'release')).toThrow('The tag v0.2.0 is of another commit')
  })

  it('says how it is called', () => {
    const called = (...args: string[]) =>
      execute(process.execPath, ['--import', 'tsx', 'scripts/release.ts', ...args], { cwd: root })
    for (const wrong of [
      ['0.2.0', '0.3.0'],
      ['0.2.0', '--prepare', '--dry-run'],
    ])
      expect(() => called(...wrong)).toThrow('npm run release -- VERSION [--prepare | --dry-run]')
  })
})

describe('preparing a version', () => {
  it('sets it wherever it stands, and in what names it', () => {
    const folder = copyOf(named)
    prepare(folder, '0.2.0-rc.1')
    const stands = versionsIn(folder)
    expect([...new Set(stands.values())]).toEqual(['0.2.0-rc.1'])
    expect([...stands.keys()]).toEqual([...versionsIn(root).keys()])
    for (const file of ['README.md', 'guard/README.md'])
      expect(readFileSync(join(folder, file), 'utf8')).toContain('-0.2.0-rc.1.tgz')
    for (const set of ['plain', 'full', 'path']) {
      const golden = readFileSync(join(folder, `deploy/helm/golden/${set}.yaml`), 'utf8')
      expect(golden).toContain(` of ${chartSum(folder)}.\n`)
      expect(golden.match(/[\d.]+(?:-rc\.1)?(?="?$)/gm)).not.toContain(versionsIn(root).get('package.json'))
      expect(golden).toContain('helm.sh/chart: tessera-0.2.0-rc.1')
    }
  })

  it('makes the section of the version of what was not released', () => {
    const changelog = read('CHANGELOG.md')
    const now = released(changelog, '0.2.0', '2026-11-27')
    expect(sectionOf(now, 'Unreleased')).toBe('')
    expect(sectionOf(now, '0.2.0')).toBe(sectionOf(changelog, 'Unreleased'))
    expect(versionsOf(now)).toEqual(['0.2.0', ...versionsOf(changelog)])
    expect(sectionOf(now, '0.4.0')).toBeUndefined()
  })

  it('leaves what was released as it is', () => {
    const sum = sha256(Buffer.from(sectionOf(read('CHANGELOG.md'), '0.1.0') ?? ''))
    const what = 'The section [0.1.0] of CHANGELOG.md has changed: what is new stands under [Unreleased]'
    expect(sum, what).toBe('f8c2c09f979db66b491945ff3af63c967be8472dba2524bd3a61d03ccb01aa51')
  })

  it('orders versions as Semantic Versioning does', () => {
    const order = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
    ]
    const sorted = [...order, '1.0.0', '1.0.9', '1.0.10', '2.0.0']
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted)
  })
})

describe('what is made of one state of the sources', () => {
  const outs: string[] = []
  const file = (name: string): Buffer => readFileSync(join(outs[0] ?? '', name))
  beforeAll(async () => {
    for (const year of [2001, 2031]) {
      const work = copyOf([...named, ...packed])
      symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'))
      prepare(work, '0.2.0')
      for (const one of ['server/bin/tessera.cjs', 'guard/dist/index.js', 'deploy/helm/tessera/values.yaml'])
        utimesSync(join(work, one), new Date(`${year}-01-01`), new Date(`${year}-01-01`))
      const out = temporaryFolder()
      const release = { work, out, version: '0.2.0', commit: 'c0ffee', at }
      await makeArtefacts(release)
      writePublish(release)
      writeSums(out)
      outs.push(out)
    }
  })

  it('is the same, byte by byte', () => {
    const [first = [], second] = outs.map((out) =>
      filesOf(out).map((name) => `${sha256(readFileSync(join(out, name)))} ${name}`),
    )
    expect(first).toEqual(second)
    expect(first.map((one) => one.split(' ')[1])).toEqual([
      ...['SHA256SUMS', 'notes.md', 'publish.sh', 'tessera-0.2.0.tgz'],
      ...['guard', 'server'].flatMap((one) => [`tessera-${one}-0.2.0.cdx.json`, `tessera-${one}-0.2.0.tgz`]),
    ])
    execute('sha256sum', ['--check', 'SHA256SUMS'], { cwd: outs[0] ?? '' })
  })

  it('is packages and a chart of the version, with what belongs into them', () => {
    const unpacked = temporaryFolder()
    const listed = (name: string) => {
      execute('tar', ['-xzf', join(outs[0] ?? '', name), '-C', unpacked], { cwd: unpacked })
      return execute('tar', ['-tzf', join(outs[0] ?? '', name)], { cwd: unpacked })
        .trim()
        .split('\n')
    }
    const json = () => JSON.parse(readFileSync(join(unpacked, 'package/package.json'), 'utf8')) as object
    expect(listed('tessera-guard-0.2.0.tgz')).toContain('package/LICENSE')
    expect(json()).toMatchObject({ name: '@tessera/guard', version: '0.2.0' })
    const server = listed('tessera-server-0.2.0.tgz')
    expect(json()).toMatchObject({ version: '0.2.0', dependencies: { '@tessera/guard': '0.2.0' } })
    expect(server).toEqual(expect.arrayContaining(['package/docs/operations.md', 'package/bin/tessera.cjs']))
    expect(server.filter((one) => /\/stamp$|\.compiled$|tsbuildinfo|\.env|\.pem$/.test(one))).toEqual([])
    const chart = listed('tessera-0.2.0.tgz')
    expect(chart.every((one) => one.startsWith('tessera/'))).toBe(true)
    expect(chart).toEqual(chart.toSorted())
    expect(readFileSync(join(unpacked, 'tessera/Chart.yaml'), 'utf8')).toContain('version: 0.2.0\n')
    // Neither the time nor the system of the compression (RFC 1952, section 2.3.1).
    expect(file('tessera-0.2.0.tgz').subarray(4, 10).toString('hex')).toBe('0000000002ff')
  })

  it('is a list of all that the service brings along, and of no more', () => {
    const bom = JSON.parse(file('tessera-server-0.2.0.cdx.json').toString()) as Bom
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { version: string; dev?: boolean; link?: boolean }>
    }
    const needed = Object.entries(packages)
      .filter(([path, { dev, link }]) => path.includes('node_modules/') && dev !== true && link !== true)
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1) ?? ''}@${version}`)
    const listed = bom.components.map(({ name, version }) => `${name}@${version}`)
    expect(listed.toSorted()).toEqual([...new Set(needed), '@tessera/guard@0.2.0'].toSorted())
    expect(bom).not.toHaveProperty('serialNumber')
    expect(bom.metadata).toMatchObject({
      timestamp: '2026-11-27T12:00:00.000Z',
      component: { name: '@tessera/server', version: '0.2.0' },
    })
    const references = new Set([...bom.components, bom.metadata.component].map((one) => one['bom-ref']))
    for (const { ref, dependsOn } of bom.dependencies)
      expect([ref, ...dependsOn].filter((one) => !references.has(one))).toEqual([])
    const image = bomOfImage(bom, [nodeComponent('24.1.0'), ...debianComponents(status)])
    expect(image.components).toHaveLength(bom.components.length + 3)
    expect(image.components.map(({ purl }) => purl)).toEqual(
      expect.arrayContaining(['pkg:generic/node@24.1.0', 'pkg:deb/debian/libc6@2.36-9%2Bdeb12u1?arch=amd64']),
    )
  })

  it('is the notes of the version, and a script that only pushes', () => {
    expect(file('notes.md').toString().trim()).toBe(sectionOf(read('CHANGELOG.md'), 'Unreleased'))
    const script = file('publish.sh').toString()
    execute('sh', ['-n', 'publish.sh'], { cwd: outs[0] ?? '' })
    expect(() => execute('sh', ['publish.sh'], { cwd: outs[0] ?? '', env: { REGISTRY: '' } })).toThrow(
      'where images and charts go',
    )
    expect(script.match(/(?<=^is_there @tessera\/(?:guard|server) \S+ \|\| ).*$/gm)).toEqual([
      'npm publish ./tessera-guard-0.2.0.tgz --access=public --tag=latest $provenance',
      'npm publish ./tessera-server-0.2.0.tgz --access=public --tag=latest $provenance',
    ])
    expect(script).toContain('# The image is missing')
  })
})
