/** The places of the product's version: the places that have to be the same, and those that only name it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chartSum } from '../deploy-chart.ts'

interface Package {
  name?: string
  version?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}
interface Lock extends Package {
  packages: Record<string, Package>
}

const version = '\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?'

/** Each place beside those of npm, with what stands before it and after it. */
const places: readonly (readonly [string, RegExp])[] = [
  ['server/src/protocol/version.ts', /(?<=^export const version = ')[^']+(?=')/m],
  ['deploy/helm/tessera/Chart.yaml', /(?<=^version: )\S+$/m],
  ['deploy/helm/tessera/Chart.yaml', /(?<=^appVersion: )\S+$/m],
  ['deploy/Dockerfile', /(?<=^ARG VERSION=)\S+$/m],
]

const tarball = new RegExp(`(?<=tessera-(?:server|guard)-)${version}(?=\\.tgz)`, 'g')
const rendered = new RegExp(
  `(?<=(?:/version: "|/chart: tessera-|tessera:|^ {2}tag: ))${version}(?="?$)`,
  'gm',
)

/** What each place says, by its name. */
export function versionsIn(folder: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const file of packagesIn(folder))
    changePackage(readJson<Lock>(folder, file), (place, one) => {
      found.set(`${file}${place}`, one)
      return one
    })
  for (const [file, pattern] of places) {
    const [one = ''] = pattern.exec(read(folder, file)) ?? []
    found.set(`${file} ${String(pattern)}`, one)
  }
  return found
}

/** Sets the version in every place, and in what names it: documents, and what Helm made of the chart. */
export function setVersion(folder: string, to: string): void {
  for (const file of packagesIn(folder)) {
    const content = readJson<Lock>(folder, file)
    changePackage(content, () => to)
    write(folder, file, `${JSON.stringify(content, null, 2)}\n`)
  }
  for (const [file, pattern] of places) replace(folder, file, pattern, to)
  for (const file of ['README.md', 'guard/README.md']) replace(folder, file, tarball, to)
  const golden = readdirSync(join(folder, 'deploy/helm/golden')).map((file) => `deploy/helm/golden/${file}`)
  for (const file of golden) replace(folder, file, rendered, to)
  const sum = chartSum(folder)
  for (const file of golden) replace(folder, file, /(?<=^# Made by .* of )[0-9a-f]{64}(?=\.$)/m, sum)
}

/** The lock file and each package.json that it tells of, as paths from the folder. */
function packagesIn(folder: string): string[] {
  const { packages } = readJson<Lock>(folder, 'package-lock.json')
  const own = Object.keys(packages).filter((path) => !path.includes('node_modules'))
  return ['package-lock.json', ...own.map((path) => join(path, 'package.json'))]
}

/** Puts each version of a package, and each that it asks of another one of these, through `change`. */
function changePackage(content: Partial<Lock>, change: (place: string, version: string) => string): void {
  const { packages = {} } = content
  const own = Object.entries(packages).filter(([path]) => !path.includes('node_modules'))
  const listed = own.map(([path, one]) => [` ${path || '.'}`, one] as const)
  for (const [place, one] of [['', content] as const, ...listed]) {
    if (one.version !== undefined) one.version = change(place, one.version)
    for (const needed of [one.dependencies ?? {}, one.devDependencies ?? {}])
      for (const [name, needs] of Object.entries(needed))
        if (name.startsWith('@tessera/')) needed[name] = change(`${place} ${name}`, needs)
  }
}

const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8')
const readJson = <T>(folder: string, file: string): T => JSON.parse(read(folder, file)) as T
const write = (folder: string, file: string, text: string): void => writeFileSync(join(folder, file), text)

function replace(folder: string, file: string, pattern: RegExp, by: string): void {
  write(folder, file, read(folder, file).replace(pattern, by))
}
