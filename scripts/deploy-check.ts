/**
 * `npm run deploy-check`: runs deploy/ by the programs that are found on the PATH, and says which part it left out for
 * want of one. `npm run deploy-check -- chart` runs one part; `--write` writes the renderings of the chart anew.
 */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { checkChart } from './deploy-chart.ts'
import { checkCluster } from './deploy-cluster.ts'
import { checkCompose } from './deploy-compose.ts'
import { checkImage } from './deploy-image.ts'
import { checkMonitoring } from './deploy-monitoring.ts'
import { checkNode } from './deploy-node.ts'
import { checkNpm } from './deploy-npm.ts'
import { checkUpgrade } from './deploy-upgrade.ts'

/** What a part of the check says, line by line. It throws what is wrong. */
export type Say = (line: string) => void

/** Each part with the programs that it needs, and the variables that tell what it can't find by itself. */
const parts: readonly {
  name: string
  programs: readonly string[]
  variables?: readonly string[]
  check: (say: Say) => Promise<void> | void
}[] = [
  { name: 'chart', programs: ['helm'], check: (say) => checkChart(say, process.argv.includes('--write')) },
  { name: 'cluster', programs: ['helm', 'kubectl', 'kube-apiserver', 'etcd'], check: checkCluster },
  {
    name: 'node',
    programs: ['helm', 'kubectl'],
    variables: ['DEPLOY_CHECK_IMAGE', 'DEPLOY_CHECK_DATABASE_URL'],
    check: checkNode,
  },
  { name: 'npm', programs: ['npm'], check: checkNpm },
  { name: 'image', programs: ['podman', 'git', 'tar'], check: checkImage },
  { name: 'compose', programs: ['podman', 'podman-compose', 'curl'], check: checkCompose },
  { name: 'monitoring', programs: ['prometheus', 'promtool'], check: checkMonitoring },
  { name: 'upgrade', programs: ['git', 'npm'], check: checkUpgrade },
]

const chosen = process.argv.slice(2).filter((one) => !one.startsWith('--'))
const isThere = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

for (const { name, programs, variables = [], check } of parts) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const missing = [
    ...programs.filter((one) => !isThere(one)),
    ...variables.filter((one) => !process.env[one]),
  ]
  if (missing.length > 0) {
    process.stdout.write(`${name}: left out, because there is no ${missing.join(', no ')}\n`)
    continue
  }
  try {
    await check((line) => process.stdout.write(`${name}: ${line}\n`))
  } catch (error) {
    process.stdout.write(`${name}: failed: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
