/** What Helm made of the chart, held to rules of our own, where no Helm and no Kubernetes is. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chartSum, valueSets } from '../../../scripts/deploy-chart.ts'
import { latestEnd } from '../../dist/cli/stop.js'
import { pathOfIssuer } from '../../dist/protocol/issuer-path.js'
import { readSettings } from '../../dist/server.js'
import { run } from '../harness/process.ts'
import { yamlOf, yamlsOf } from './deploy-support.ts'
import { read } from './support.ts'

interface Variable {
  name: string
  value?: string
  valueFrom?: { secretKeyRef?: { name: string; key: string; optional?: boolean } }
}
interface Container {
  image: string
  args: string[]
  env: Variable[]
  ports?: { name: string; containerPort: number }[]
  resources: Record<'requests' | 'limits', Record<string, string | number>>
  securityContext: unknown
  volumeMounts: { name: string; mountPath: string }[]
  lifecycle?: { preStop: { exec: { command: [string, string] } } }
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } }
}
interface Pod {
  enableServiceLinks: boolean
  automountServiceAccountToken: boolean
  serviceAccountName?: string
  terminationGracePeriodSeconds?: number
  restartPolicy?: string
  nodeSelector?: Record<string, string>
  tolerations?: unknown[]
  priorityClassName?: string
  securityContext: Record<string, unknown>
  containers: Container[]
  volumes: Record<string, unknown>[]
}
/** What is asked of any of these objects; each kind has a part of it. */
interface Thing {
  kind: string
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> }
  spec: {
    minReadySeconds: number
    activeDeadlineSeconds: number
    ttlSecondsAfterFinished: number
    backoffLimit: number
    maxReplicas: number
    template: { metadata: { labels: Record<string, string>; annotations?: object }; spec: Pod }
    selector: Record<string, string>
    rules: { host: string; http: { paths: { path: string; pathType: string }[] } }[]
    tls: { hosts: string[] }[]
    podSelector: { matchExpressions: { values: string[] }[] }
  }
}

const textOf = (name: string) => read(`deploy/helm/golden/${name}.yaml`)
const things = new Map(valueSets.map((name) => [name, yamlsOf(textOf(name)) as Thing[]]))
const find = (set: string, kind: string) => things.get(set)?.find((one) => one.kind === kind)
function the(set: string, kind: string): Thing {
  const found = find(set, kind)
  if (found === undefined) throw new Error(`${set} has no ${kind}.`)
  return found
}
const containerOf = (thing: Thing): Container => {
  const [container, ...more] = thing.spec.template.spec.containers
  if (container === undefined || more.length > 0) throw new Error('There is not one container.')
  return container
}
const workloads = valueSets.flatMap((set) => [the(set, 'Deployment'), the(set, 'Job')])
const environmentOf = (set: string) =>
  Object.fromEntries(containerOf(the(set, 'Deployment')).env.map(({ name, value }) => [name, value]))

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-golden-'))
  writeFileSync(join(folder, 'secret'), 'Kq7-a-secret-of-the-deploy-tests-0123456789')
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(valueSets)('the rendering of %s', (set) => {
  it('is of the chart as it stands', () => {
    const made = / of ([0-9a-f]{64})\.\n/.exec(textOf(set))?.[1]
    const what = `deploy/helm has changed since golden/${set}.yaml was made: where Helm is, run npm run deploy-check -- --write`
    expect(made === chartSum(), what).toBe(true)
  })

  it('has names and hosts of RFC 1123, each name once', () => {
    const all = things.get(set) ?? []
    for (const { kind, metadata } of all) {
      expect(metadata.name, kind).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
      for (const [label, value] of Object.entries(metadata.labels))
        expect(value, label).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/)
    }
    const names = all.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    for (const { host } of find(set, 'Ingress')?.spec.rules ?? [])
      expect(host).toMatch(/^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)*[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/)
  })

  it('leads from the host and path of the issuer to the service', () => {
    const issuer = environmentOf(set).TESSERA_ISSUER ?? ''
    const ingress = find(set, 'Ingress')
    if (ingress === undefined) return
    expect(ingress.spec.rules.map(({ host }) => host)).toEqual([new URL(issuer).hostname])
    expect(ingress.spec.tls.flatMap(({ hosts }) => hosts)).toEqual([new URL(issuer).hostname])
    const path = pathOfIssuer(issuer)
    const beside = ['openid-configuration', 'oauth-authorization-server'].map((one) => ({
      path: `/.well-known/${one}${path}`,
      pathType: 'Exact',
    }))
    const expected = [{ path: path || '/', pathType: 'Prefix' }, ...(path === '' ? [] : beside)]
    expect(ingress.spec.rules[0]?.http.paths).toMatchObject(expected)
    expect(ingress.spec.rules[0]?.http.paths).toHaveLength(expected.length)
  })

  it('has settings that the service takes, and no secret in plain text', () => {
    const container = containerOf(the(set, 'Deployment'))
    const secrets = container.env.filter(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined)
    expect(secrets.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['TESSERA_SECRET', 'TESSERA_SECRET_PREVIOUS', 'TESSERA_DATABASE_URL']),
    )
    for (const { name, value = '' } of container.env) {
      expect(value, name).not.toMatch(/:\/\/[^/]*:[^/]*@/)
      if (/SECRET|DATABASE_URL|MAIL_URL|HEADERS/.test(name)) expect(value, name).toBe('')
    }
    const plain = Object.entries(environmentOf(set)).filter(
      ([name, value]) => name.startsWith('TESSERA_') && value !== undefined,
    )
    const environment = {
      ...(Object.fromEntries(plain) as Record<string, string>),
      TESSERA_SECRET_FILE: join(folder, 'secret'),
      TESSERA_DATABASE_URL: 'postgres://db/tessera',
      ...(secrets.some(({ name }) => name === 'TESSERA_MAIL_URL') && { TESSERA_MAIL_URL: 'smtp://mail:587' }),
    }
    expect(() => readSettings(environment)).not.toThrow()
    // Kubernetes would set such variables for a Service called tessera.
    expect(() => readSettings({ ...environment, TESSERA_SERVICE_HOST: '10.0.0.1' })).toThrow()
  })

  it('has the migration go where the replicas go, unless that is made after it', () => {
    const [serving, migrating] = [the(set, 'Deployment'), the(set, 'Job')].map(
      (one) => one.spec.template.spec,
    )
    for (const name of ['nodeSelector', 'tolerations', 'priorityClassName', 'securityContext'] as const)
      expect(migrating?.[name], name).toEqual(serving?.[name])
    const isMade = find(set, 'ServiceAccount') !== undefined
    expect(migrating?.serviceAccountName).toBe(isMade ? undefined : serving?.serviceAccountName)
    const { spec, metadata } = the(set, 'Job')
    expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    // Helm waits for five minutes, and tells more of a job that has failed by then.
    expect(spec.activeDeadlineSeconds).toBeLessThan(300)
    expect(spec.ttlSecondsAfterFinished).toBeGreaterThan(600)
    expect(spec.backoffLimit).toBeGreaterThan(0)
    expect(Object.keys(containerOf(the(set, 'Job')).resources.limits)).toEqual(['cpu', 'memory'])
    // No request is sent to it.
    expect(spec.template.metadata.labels).not.toMatchObject(the(set, 'Service').spec.selector)
  })
})

describe('every pod of the chart', () => {
  it('is let in under the level restricted, and asks Kubernetes for nothing', () => {
    expect(workloads.length).toBe(2 * valueSets.length)
    for (const { spec } of workloads) {
      const { securityContext, volumes, ...pod } = spec.template.spec
      expect(pod.enableServiceLinks).toBe(false)
      expect(pod.automountServiceAccountToken).toBe(false)
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      const allowed = ['name', 'configMap', 'secret', 'emptyDir']
      expect(volumes.flatMap((one) => Object.keys(one)).filter((one) => !allowed.includes(one))).toEqual([])
      expect(containerOf({ spec } as Thing).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  it('says what it needs, and which version it is', async () => {
    for (const thing of workloads) {
      const { resources, image, args, volumeMounts } = containerOf(thing)
      expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory'])
      expect(Object.keys(resources.limits)).toContain('memory')
      expect(image).toMatch(/@sha256:[0-9a-f]{64}$|:\d+\.\d+\.\d+$/)
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain('/tmp')
      expect(
        volumeMounts.every(({ name }) => thing.spec.template.spec.volumes.some((one) => one.name === name)),
      ).toBe(true)
      expect(['serve', 'migrate']).toContain(args.join(' '))
    }
    for (const command of ['serve', 'migrate']) expect((await run([command, '--help'])).code).toBe(0)
  })

  it('that serves is probed where it answers, and has the time to end', () => {
    for (const set of valueSets) {
      const { spec } = the(set, 'Deployment')
      const container = containerOf(the(set, 'Deployment'))
      expect(container.ports?.[0]).toEqual({ name: 'http', containerPort: 4000 })
      expect(container.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'http' })
      for (const probe of ['startupProbe', 'livenessProbe'] as const)
        expect(container[probe]?.httpGet).toEqual({ path: '/health/live', port: 'http' })
      const ends = Number(container.lifecycle?.preStop.exec.command[1]) + latestEnd / 1000
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(ends + 1)
      // No more than one has then not yet given its connections back while the next one starts.
      expect(spec.minReadySeconds).toBeGreaterThan(ends)
    }
  })
})

describe('the chart', () => {
  it('is of the version of the service', () => {
    const { version } = JSON.parse(read('server/package.json')) as { version: string }
    expect(yamlOf(read('deploy/helm/tessera/Chart.yaml'))).toMatchObject({ appVersion: version })
  })

  it('asks by default for no more connections than PostgreSQL has by default', () => {
    const pool = Number(environmentOf('plain').TESSERA_DATABASE_POOL)
    const { maxReplicas } = the('plain', 'HorizontalPodAutoscaler').spec
    // One starts, one ends, each has one beside its pool; five are for commands, and three of a hundred are reserved.
    expect((maxReplicas + 2) * (pool + 1) + 5).toBeLessThanOrEqual(100 - 3)
  })

  it('restarts what serves when the declared file has changed', () => {
    for (const set of ['full', 'path'])
      expect(the(set, 'Deployment').spec.template.metadata.annotations).toMatchObject({
        'checksum/declared': expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      })
    expect(the('plain', 'Deployment').spec.template.metadata.annotations).not.toHaveProperty(
      'checksum/declared',
    )
  })

  it('lets the network policy hold for the migration too', () => {
    const pods = workloads.map(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/name'])
    const [chosen] = the('full', 'NetworkPolicy').spec.podSelector.matchExpressions
    expect([...new Set(pods)]).toEqual(chosen?.values)
  })
})
