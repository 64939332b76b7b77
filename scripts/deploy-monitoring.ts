/**
 * The alerts and the dashboard, by a real Prometheus that watches a service under a load that is bounded: each
 * expression of the dashboard finds something, no alert fires while all is well, and some while things are broken.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { administered } from '../server/test/fixtures/administrators.ts'
import { startOwnPostgres } from '../server/test/harness/postgres.ts'
import { cleanUp, freePort, Serving } from '../server/test/harness/process.ts'
import { output, repository } from './deploy-image.ts'

type Say = (line: string) => void

export const alertsFile = 'deploy/helm/tessera/monitoring/alerts.yaml'

export interface Rule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}
interface RuleFile {
  groups: { name: string; rules: Rule[] }[]
}
const ruleFile = () => parse(readFileSync(join(repository, alertsFile), 'utf8')) as RuleFile
export const alerts = (): Rule[] => ruleFile().groups.flatMap(({ rules }) => rules)

/** What the dashboard asks, with the title of the panel. */
export function dashboardQueries(): { title: string; expr: string }[] {
  const text = readFileSync(join(repository, 'deploy/monitoring/dashboard.json'), 'utf8')
  const { panels } = JSON.parse(text) as { panels: { title: string; targets?: { expr: string }[] }[] }
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
}

export async function checkMonitoring(say: Say): Promise<void> {
  say(output('promtool', ['--version']).split('\n')[0] ?? '')
  output('promtool', ['check', 'rules', alertsFile])
  output('promtool', ['test', 'rules', 'deploy/monitoring/alerts.test.yaml'])
  say(`${alerts().length} alerts are well formed, and each fires and is silent where its test says so`)
  const folder = mkdtempSync(join(tmpdir(), 'tessera-monitoring-'))
  const postgres = await startOwnPostgres()
  const stopping = new AbortController()
  try {
    const metricsPort = await freePort('127.0.0.1')
    writeFileSync(join(folder, 'access.yaml'), administered)
    const service = await Serving.start({
      TESSERA_HOST: '127.0.0.1',
      TESSERA_DATABASE_URL: `${postgres.url}/postgres`,
      TESSERA_DECLARED: join(folder, 'access.yaml'),
      TESSERA_METRICS_PORT: String(metricsPort),
      TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
      TESSERA_MAIL_URL: `smtp://127.0.0.1:${await freePort('127.0.0.1')}`,
      TESSERA_MAIL_FROM: 'no-reply@acme.example',
      TESSERA_LOG_LEVEL: 'silent',
    })
    const prometheus = await startPrometheus(folder, metricsPort, stopping.signal)
    const load = loadOn(service.url, stopping.signal)
    await wait(60_000)
    await checkQueries(prometheus)
    say(
      `after a minute of load each of ${dashboardQueries().length} queries of the dashboard finds something`,
    )
    const early = await prometheus.firing()
    if (early.length > 0) throw new Error(`${early.join(', ')} fires while all is well.`)
    say('no alert fires while all is well')

    const post = await administratorOf(service.url)
    await post('/mails/test', { recipient: 'somebody@acme.example' })
    say(`nobody listens at the mail server: ${await prometheus.fires('TesseraMailsFail')}`)
    await failWebhooks(post, stopping.signal)
    say(`a receiver answers 500: ${await prometheus.fires('TesseraWebhooksFail')}`)
    await postgres.kill()
    say(`PostgreSQL is killed: ${await prometheus.fires('TesseraNotReady', 'TesseraErrors')}`)
    await postgres.startAgain()
    say(`PostgreSQL is back: ${await prometheus.isSilent('TesseraNotReady')}`)
    await service.stop()
    say(`the service is stopped: ${await prometheus.fires('TesseraDown')}`)
    stopping.abort()
    await load
  } finally {
    stopping.abort()
    await cleanUp()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Rules that wait for seconds where ours wait for minutes. */
async function startPrometheus(folder: string, metricsPort: number, signal: AbortSignal) {
  const { groups } = ruleFile()
  for (const { rules } of groups) for (const rule of rules) if (rule.for !== '0m') rule.for = '5s'
  writeFileSync(join(folder, 'rules.yaml'), stringify({ groups }))
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [{ job_name: 'tessera', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
  }
  writeFileSync(join(folder, 'prometheus.yaml'), stringify(config))
  const port = await freePort('127.0.0.1')
  const given = [`--config.file=${folder}/prometheus.yaml`, `--storage.tsdb.path=${folder}/data`]
  const child = spawn('prometheus', [...given, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  signal.addEventListener('abort', () => child.kill('SIGTERM'))
  const ask = async (query: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`)
    const { data, error } = (await answer.json()) as {
      data?: { result: { metric: Record<string, string>; value: [number, string] }[] }
      error?: string
    }
    if (data === undefined) throw new Error(`Prometheus says of ${query}: ${error}`)
    return data.result
  }
  const firing = async () =>
    (await ask('ALERTS{alertstate="firing"}')).map(({ metric }) => metric.alertname ?? '')
  const until = async (holds: (names: string[]) => boolean, what: string) => {
    const began = performance.now()
    while (!holds(await firing())) {
      if (performance.now() - began > 90_000) throw new Error(`${what}: not within 90 s.`)
      await wait(500)
    }
    return `${what} after ${((performance.now() - began) / 1000).toFixed(0)} s`
  }
  for (let tries = 0; !(await ask('up').then(Boolean, () => false)); tries++) {
    if (tries > 100) throw new Error('Prometheus does not start.')
    await wait(200)
  }
  return {
    ask,
    firing,
    fires: (...names: string[]) =>
      until((now) => names.every((name) => now.includes(name)), names.join(' and ')),
    isSilent: (name: string) => until((now) => !now.includes(name), `${name} is over`),
  }
}

async function checkQueries({ ask }: { ask: (query: string) => Promise<{ value: [number, string] }[]> }) {
  for (const { title, expr } of dashboardQueries()) {
    const query = expr
      .replaceAll('$job', '.+')
      .replaceAll('$__rate_interval', '30s')
      .replaceAll('$__range', '5m')
    const found = await ask(query)
    if (!found.some(({ value }) => Number.isFinite(Number(value[1]))))
      throw new Error(`The panel ${title} finds nothing: ${query}`)
  }
}

const tokenOf = async (url: string, client_id: string, client_secret = `${client_id}-development-secret`) =>
  await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
  })

/** Thirty requests a second at the most, one of twenty refused; what fails is counted by the service. */
async function loadOn(url: string, signal: AbortSignal): Promise<void> {
  for (let number = 0; !signal.aborted; number++) {
    const secret = number % 20 === 0 ? ['wrong'] : []
    const asked = [
      tokenOf(url, 'nightly-import', ...secret),
      fetch(`${url}/oauth2/jwks`),
      fetch(`${url}/health/ready`),
    ]
    for (const one of await Promise.allSettled(asked))
      if (one.status === 'fulfilled') await one.value.arrayBuffer().catch(() => undefined)
    await wait(100)
  }
}

/** What posts to the administration API. */
async function administratorOf(url: string) {
  const { access_token: token } = (await (await tokenOf(url, 'admin-cli')).json()) as { access_token: string }
  return async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${url}/admin/v1${path}`, init)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { uuid: string }
  }
}

/** A webhook to somebody who answers 500, and a first delivery. */
async function failWebhooks(
  post: Awaited<ReturnType<typeof administratorOf>>,
  signal: AbortSignal,
): Promise<void> {
  const receiver = createServer((_request, response) => response.writeHead(500).end())
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  signal.addEventListener('abort', () => receiver.close())
  const { port } = receiver.address() as AddressInfo
  const { uuid } = await post('/webhooks', { url: `http://127.0.0.1:${port}/`, kinds: ['role.removed'] })
  await post(`/webhooks/${uuid}/test`, {})
}
