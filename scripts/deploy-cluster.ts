/** The renderings of the chart, tried at an API server that starts for it: nothing is kept, and no pod runs. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseAllDocuments } from 'yaml'
import { chart, golden, valueSets } from './deploy-chart.ts'

interface Manifest {
  kind: string
  metadata: { name: string }
  spec: { template: { metadata: object; spec: { securityContext: object } } }
}

/** Ask the server, and return what the program says. They throw what is refused. */
interface Asking {
  kubectl: (args: string[], manifest?: unknown) => string
  helm: (args: string[]) => string
}
type Kubectl = Asking['kubectl']

export async function checkCluster(say: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-cluster-'))
  const started: ChildProcess[] = []
  try {
    const asking = await startServer(folder, started)
    const { kubectl } = asking
    const { serverVersion } = JSON.parse(kubectl(['version', '--output=json'])) as {
      serverVersion: { gitVersion: string }
    }
    say(`an API server ${serverVersion.gitVersion}, with a namespace of the level restricted`)
    tryManifests(kubectl, say)
    trySecrets(asking)
    say('Helm installs nothing whose Secret or ConfigMap is not there, or lacks its key')
  } finally {
    for (const one of started) {
      one.kill()
      if (one.exitCode === null) await new Promise((resolve) => one.once('exit', resolve))
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

function tryManifests(kubectl: Kubectl, say: (line: string) => void): void {
  const tried = (manifest: unknown) => kubectl(['create', '--dry-run=server', '--validate=strict'], manifest)
  const sets = valueSets.map((name) => ({ name, manifests: manifestsOf(name) }))
  kubectl(['create'], namespace)
  kubectl(['create'], {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'identity' },
    value: 1000,
  })
  const ofOperator = ['PodMonitor', 'PrometheusRule']
  const known = sets.flatMap(({ manifests }) => manifests).filter(({ kind }) => !ofOperator.includes(kind))
  for (const manifest of known) tried(manifest)
  const pods = known.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(podOf)
  for (const pod of pods) tried(pod)
  say(
    `${known.length} manifests and their ${pods.length} pods are accepted (${ofOperator.join(' and ')} are not known there)`,
  )

  const [pod] = pods
  isRefused(() => tried({ ...pod, spec: { ...pod?.spec, securityContext: {} } }), 'violates PodSecurity')
  say('a pod that does not say that it is not root is refused')
  setQuota(kubectl)
  for (const { manifests } of sets)
    for (const job of manifests.filter(({ kind }) => kind === 'Job')) tried(podOf(job))
  const full = sets.find(({ name }) => name === 'full')?.manifests ?? []
  for (const one of full.filter(({ kind }) => kind === 'Deployment')) tried(podOf(one))
  const plain = sets.find(({ name }) => name === 'plain')?.manifests ?? []
  const without = plain.filter(({ kind }) => kind === 'Deployment').map(podOf)
  isRefused(() => tried(without[0]), 'must specify limits.cpu')
  say('a quota lets the migrations in, and replicas with resources.limits.cpu')
}

/** The chart looks for its Secrets before anything is made. */
function trySecrets({ kubectl, helm }: Asking): void {
  const plain = join(golden, 'plain.values.yaml')
  const install = (...more: string[]) =>
    helm(['install', 'id', chart, '--dry-run=server', '--values', plain, ...more])
  // A controller, which is not there, puts it into each namespace.
  kubectl(['create', 'configmap', 'kube-root-ca.crt'])
  isRefused(install, 'no Secret tessera with the key TESSERA_SECRET')
  kubectl(['create', 'secret', 'generic', 'tessera', '--from-literal=TESSERA_SECRET=a'])
  isRefused(install, 'no Secret tessera with the key TESSERA_DATABASE_URL')
  kubectl(['patch', 'secret', 'tessera', '--patch', '{"stringData":{"TESSERA_DATABASE_URL":"b"}}'])
  install()
  const declared = () => install('--set=declared.existingConfigMap=access')
  isRefused(declared, 'no ConfigMap access with the key access.yaml')
}

const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'identity', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
}

/** A quota counts once its status does, which a controller would write otherwise. */
function setQuota(kubectl: Kubectl): void {
  const hard = {
    'requests.cpu': '4',
    'requests.memory': '4Gi',
    'limits.cpu': '8',
    'limits.memory': '8Gi',
    pods: '9',
  }
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
  const status = JSON.stringify({ status: { hard, used } })
  kubectl(['create'], {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'quota' },
    spec: { hard },
  })
  kubectl(['patch', 'resourcequota', 'quota', '--subresource=status', '--type=merge', '--patch', status])
}

function isRefused(attempt: () => string, why: string): void {
  try {
    attempt()
  } catch (error) {
    if ((error as Error).message.includes(why)) return
    throw error
  }
  throw new Error(`The server accepts what it has to refuse: ${why}`)
}

const manifestsOf = (name: string): Manifest[] => {
  const documents = parseAllDocuments(readFileSync(join(golden, `${name}.yaml`), 'utf8'))
  return Array.isArray(documents) ? documents.map((one) => one.toJS() as Manifest) : []
}

const podOf = ({ metadata: { name }, spec: { template } }: Manifest) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...template.metadata, name },
  spec: template.spec,
})

/** Starts etcd and an API server of this machine alone, and waits until it answers. */
async function startServer(folder: string, started: ChildProcess[]): Promise<Asking> {
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()]
  const [etcd, token] = [`http://127.0.0.1:${client}`, randomBytes(16).toString('hex')]
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = join(folder, 'key.pem')
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(folder, 'tokens'), `${token},admin,admin,system:masters\n`)
  const start = (program: string, settings: Record<string, string>) =>
    started.push(
      spawn(
        program,
        Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
        { stdio: 'ignore' },
      ),
    )
  const peers = `http://127.0.0.1:${peer}`
  start('etcd', {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': etcd,
    'advertise-client-urls': etcd,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
  })
  start('kube-apiserver', {
    'etcd-servers': etcd,
    'cert-dir': folder,
    'bind-address': '127.0.0.1',
    'secure-port': String(port),
    'token-auth-file': join(folder, 'tokens'),
    'authorization-mode': 'AlwaysAllow',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': key,
    'service-account-signing-key-file': key,
    'service-cluster-ip-range': '10.0.0.0/24',
    // The accounts themselves are made by a controller, which is not there.
    'disable-admission-plugins': 'ServiceAccount',
  })
  const server = `https://127.0.0.1:${port}`
  const asking: Asking = {
    kubectl: (args, manifest) =>
      asked(
        'kubectl',
        [
          ...[`--server=${server}`, `--token=${token}`, '--insecure-skip-tls-verify', '--namespace=identity'],
          ...[...args, ...(manifest === undefined ? [] : ['--filename=-'])],
        ],
        manifest,
      ),
    helm: (args) =>
      asked('helm', [
        ...[`--kube-apiserver=${server}`, `--kube-token=${token}`, '--kube-insecure-skip-tls-verify'],
        ...[...args, '--namespace=identity'],
      ]),
  }
  await untilReady(asking.kubectl, started)
  return asking
}

function asked(program: string, args: string[], input?: unknown): string {
  const given = input === undefined ? '' : JSON.stringify(input)
  const environment = { ...process.env, KUBECONFIG: '' }
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    input: given,
    env: environment,
  })
  if (status !== 0) throw new Error(stderr.trim())
  return stdout
}

async function untilReady(kubectl: Kubectl, started: ChildProcess[]): Promise<void> {
  for (let left = 120; ; left--) {
    try {
      kubectl(['get', '--raw=/readyz'])
      return
    } catch (error) {
      if (left === 0 || started.some(({ exitCode }) => exitCode !== null)) throw error
      await setTimeout(1000)
    }
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
