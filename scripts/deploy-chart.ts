/** The chart rendered by Helm: deploy/helm/golden has what it made, so that tests can read it where no Helm is. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
export const chart = join(root, 'deploy/helm/tessera')
export const golden = join(root, 'deploy/helm/golden')

/** The sets of values that are rendered, by their names. */
export const valueSets = readdirSync(golden)
  .filter((file) => file.endsWith('.values.yaml'))
  .map((file) => file.slice(0, -'.values.yaml'.length))
  .sort()

/** Values that are refused, with what Helm says. `template`: by a template, and the schema takes them. */
export interface Refused {
  values: Record<string, unknown>
  says: string
  template?: boolean
}
export const refused = parse(readFileSync(join(golden, 'refused.yaml'), 'utf8')) as Refused[]

/** The sum of all that a rendering is made of, in the repository or a copy of it. */
export function chartSum(at = root): string {
  const helm = join(at, 'deploy/helm')
  const ofChart = readdirSync(join(helm, 'tessera'), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  const files: string[] = [
    ...ofChart,
    ...valueSets.map((name) => join(helm, 'golden', `${name}.values.yaml`)),
  ]
  const sum = createHash('sha256')
  for (const file of files.sort()) sum.update(`${relative(at, file)}\n${readFileSync(file, 'utf8')}\n`)
  return sum.digest('hex')
}

/** Renders every set anew and compares it with what is kept, or keeps it; then lints, and tries what is refused. */
export function checkChart(say: (line: string) => void, isWriting: boolean): void {
  const version = helm(['version', '--template', '{{.Version}}']).stdout.trim()
  const head = `# Made by npm run deploy-check -- --write, of ${chartSum()}.\n`
  for (const name of valueSets) {
    const file = join(golden, `${name}.yaml`)
    const made = head + rendered(join(golden, `${name}.values.yaml`))
    if (isWriting) writeFileSync(file, made)
    else if (readFileSync(file, 'utf8') !== made)
      throw new Error(
        `${relative(root, file)} is not what Helm ${version} makes: npm run deploy-check -- --write`,
      )
  }
  say(
    `${valueSets.length} sets of values ${isWriting ? 'rendered' : 'render as they are kept'} (Helm ${version})`,
  )
  const plain = join(golden, 'plain.values.yaml')
  succeeded(helm(['lint', '--strict', chart, '--kube-version', kubeVersion, '--values', plain]))
  say('lint is fine')
  refused.forEach(isRefused)
  say(`${refused.length} wrong values are refused, each with its sentence`)
}

/** A rendering that is the same everywhere: Helm has a version of its own otherwise. */
const kubeVersion = '1.34.0'

function rendered(values: string): string {
  const given = ['--namespace', 'identity', '--kube-version', kubeVersion, '--values', values]
  const text = succeeded(helm(['template', 'id', chart, ...given]))
  // Helm 4 leaves a line after each document, Helm 3 none.
  return `${text.replaceAll(/\n+---\n/g, '\n---\n').trimEnd()}\n`
}

function isRefused({ values, says }: Refused): void {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-values-'))
  try {
    writeFileSync(join(folder, 'values.yaml'), stringify(values))
    const files = [join(golden, 'plain.values.yaml'), join(folder, 'values.yaml')]
    const given = ['--kube-version', kubeVersion, ...files.flatMap((file) => ['--values', file])]
    const { status, stderr } = helm(['template', 'id', chart, ...given])
    if (status === 0) throw new Error(`Helm renders ${JSON.stringify(values)}, which is to be refused.`)
    if (!stderr.includes(says)) throw new Error(`Helm says of ${JSON.stringify(values)}: ${stderr}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const helm = (args: string[]) => spawnSync('helm', args, { encoding: 'utf8' })

function succeeded({ status, stdout, stderr }: ReturnType<typeof helm>): string {
  if (status !== 0) throw new Error(stderr.trim() || stdout.trim())
  return stdout
}
