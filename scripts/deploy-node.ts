/**
 * The README's way into a cluster that runs pods: the one that kubectl asks on this machine. DEPLOY_CHECK_IMAGE names an
 * image that its nodes can get, and DEPLOY_CHECK_DATABASE_URL an empty database that its pods reach. All of it goes into
 * a namespace of its own, which is deleted again.
 */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../server/test/harness/process.ts'
import { chart } from './deploy-chart.ts'
import { becomeAdministrator } from './deploy-console.ts'
import { output } from './deploy-image.ts'
import { askedWhile, statusOf } from './deploy-requests.ts'

const namespace = 'tessera-deploy-check'
const inNamespace = `--namespace=${namespace}`
const kubectl = (...args: string[]) => output('kubectl', [inNamespace, ...args])

export async function checkNode(say: (line: string) => void): Promise<void> {
  const version =
    '{{range .items}}{{.status.nodeInfo.kubeletVersion}} {{.status.nodeInfo.containerRuntimeVersion}}, {{end}}'
  say(`nodes of ${kubectl('get', 'nodes', `--output=go-template=${version}`).replace(/,$/, '')}`)
  output('kubectl', ['create', 'namespace', namespace])
  try {
    kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted')
    const port = await freePort('127.0.0.1')
    const values = await checkWay(port, say)
    await checkReplaced(values, say)
    output('helm', ['uninstall', 'id', inNamespace, '--wait'])
  } finally {
    output('kubectl', ['delete', 'namespace', namespace])
  }
}

/** The way from nothing to the console; returns the values of the installation. */
async function checkWay(port: number, say: (line: string) => void): Promise<string[]> {
  const began = performance.now()
  const { DEPLOY_CHECK_IMAGE = '', DEPLOY_CHECK_DATABASE_URL } = process.env
  const [, repository, tag = ''] = /^(.+?)(?::([^:/]+))?$/.exec(DEPLOY_CHECK_IMAGE) ?? []
  const url = `http://localhost:${port}`
  const image = `image.repository=${repository},image.tag=${tag}`
  const values = [`--set=issuer=${url},existingSecret=tessera,${image}`, '--wait', inNamespace]
  kubectl(
    ...['create', 'secret', 'generic', 'tessera'],
    `--from-literal=TESSERA_SECRET=${randomBytes(32).toString('base64')}`,
    `--from-literal=TESSERA_DATABASE_URL=${DEPLOY_CHECK_DATABASE_URL}`,
  )
  output('helm', ['install', 'id', chart, ...values])
  const installed = performance.now()
  const printed = kubectl('exec', 'deploy/id-tessera', '--', 'tessera', 'setup', '--link')
  await besides(['port-forward', 'svc/id-tessera', `${port}:80`], `${url}/health/ready`, () =>
    becomeAdministrator(url, printed),
  )
  const seconds = (until: number) => ((until - began) / 1000).toFixed(0)
  say(`installed after ${seconds(installed)} s, in the console after ${seconds(performance.now())} s`)
  return values
}

/** Replaces every pod by an upgrade, and one that is deleted, under requests that the API server hands on. */
async function checkReplaced(values: readonly string[], say: (line: string) => void): Promise<void> {
  const port = await freePort('127.0.0.1')
  const service = `http://127.0.0.1:${port}/api/v1/namespaces/${namespace}/services/id-tessera:80/proxy`
  const address = `${service}/.well-known/openid-configuration`
  const wait = promisify(execFile)
  const replace = async () => {
    await wait('helm', ['upgrade', 'id', chart, ...values, '--set-string=podAnnotations.round=two'])
    const [pod = ''] = kubectl('get', 'pods', '--output=name').split('\n')
    await wait('kubectl', [inNamespace, 'delete', pod])
    await wait('kubectl', [inNamespace, 'rollout', 'status', 'deploy/id-tessera', '--timeout=120s'])
  }
  await besides(['proxy', `--port=${port}`], address, async () => {
    const asked = await askedWhile(address, replace)
    say(`upgraded, and a pod deleted, under ${asked} requests, none of which failed`)
  })
}

/** Does something while kubectl runs, once it answers at an address. */
async function besides(args: readonly string[], address: string, done: () => Promise<void>): Promise<void> {
  const program = spawn('kubectl', [inNamespace, ...args], { stdio: 'ignore' })
  try {
    for (let tries = 0; tries < 60 && (await statusOf(address)) !== 200; tries += 1) await setTimeout(250)
    await done()
  } finally {
    program.kill()
  }
}
