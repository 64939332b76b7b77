/** The alerts and the dashboard ask only for what the service tells, and lead to what is to be done. */
import { beforeAll, describe, expect, it } from 'vitest'
import { alerts, alertsFile, dashboardQueries } from '../../../scripts/deploy-monitoring.ts'
import { startAdministered } from '../administration/support.ts'
import { duringTests } from '../harness/harness.ts'
import { freePort } from '../harness/process.ts'
import { machine, token } from '../harness/program.ts'
import { yamlOf } from './deploy-support.ts'
import { read } from './support.ts'

let port: number
const tessera = duringTests(async () => {
  port = await freePort()
  return await startAdministered('sqlite', { TESSERA_METRICS_PORT: String(port) })
})

/** The labels of each series, those of Prometheus among them. */
const told = new Map<string, Set<string>>([['up', new Set(['job', 'instance'])]])
beforeAll(async () => {
  // Of some metrics there is a series only once something happened.
  for (const client_secret of [machine.client_secret, 'wrong'])
    await token(tessera.url, { grant_type: 'client_credentials', ...machine, client_secret })
  const text = await (await fetch(`http://localhost:${port}/metrics`)).text()
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const names = told.get(name) ?? new Set(['job', 'instance'])
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) names.add(label)
    told.set(name, names)
  }
})

/** The series that an expression asks for, and the labels by which it chooses and groups. */
function askedBy(expr: string): { name: string; labels: string[] }[] {
  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/, */))
  return [...expr.matchAll(/\b((?:tessera|process|nodejs)_\w+|up)(?![\w"])(?:\{([^}]*)\})?/g)].map(
    ([, name = '', chosen = '']) => ({
      name,
      labels: [...grouped, ...[...chosen.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label)],
    }),
  )
}
const unknownIn = (expr: string) =>
  askedBy(expr).flatMap(({ name, labels }) => {
    const known = told.get(name)
    if (known === undefined) return [name]
    return labels.filter((label) => !known.has(label)).map((label) => `${label} of ${name}`)
  })

describe('what the service tells', () => {
  it('is all that alerts and dashboard ask for', () => {
    expect(dashboardQueries().length).toBeGreaterThan(20)
    for (const { title, expr } of dashboardQueries()) {
      expect(askedBy(expr), title).not.toEqual([])
      expect(unknownIn(expr), title).toEqual([])
      expect(expr, title).toContain('{job=~"$job"')
    }
    for (const { alert, expr } of alerts()) {
      expect(askedBy(expr), alert).not.toEqual([])
      expect(unknownIn(expr), alert).toEqual([])
    }
    expect(unknownIn('rate(tessera_gone_total{job="a"}[5m])')).toEqual(['tessera_gone_total'])
    expect(unknownIn('sum by (job, way) (tessera_ready{kind!="a"})')).toEqual([
      'way of tessera_ready',
      'kind of tessera_ready',
    ])
  })

  it('is in the table of docs/operations.md, and nothing else is', () => {
    const rows = read('docs/operations.md').matchAll(/^\| `(tessera_\w+)` \|/gm)
    const ours = [...told.keys()]
      .filter((name) => name.startsWith('tessera_') && !/_(bucket|sum)$/.test(name))
      .map((name) => name.replace(/_seconds_count$/, '_seconds'))
    expect([...rows].map(([, name]) => name).sort()).toEqual(ours.sort())
  })
})

describe('every alert', () => {
  const headings = [...read('docs/operations.md').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text)

  it('says how bad it is, after how long, and leads to its section of the documentation', () => {
    expect(alerts().length).toBeGreaterThan(9)
    for (const { alert, labels, annotations, ...rule } of alerts()) {
      expect(rule.for, alert).toMatch(/^\d+[mh]$/)
      expect(['warning', 'critical'], alert).toContain(labels.severity)
      expect(annotations.summary, alert).toMatch(/\.$/)
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`)
      expect(headings).toContain(alert)
    }
    const documented = headings.filter((text) => /^Tessera[A-Z]/.test(text))
    expect(documented.sort()).toEqual(
      alerts()
        .map(({ alert }) => alert)
        .sort(),
    )
  })

  it('has a test of promtool in which it is silent, then fires', () => {
    const { tests, rule_files } = yamlOf(read('deploy/monitoring/alerts.test.yaml')) as {
      rule_files: string[]
      tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[]
    }
    expect(rule_files).toEqual([`../${alertsFile.slice('deploy/'.length)}`])
    const tried = tests.map(({ alert_rule_test: cases }) =>
      cases.map(({ alertname, exp_alerts = [] }) => [alertname, exp_alerts.length]),
    )
    expect(tried).toEqual(
      alerts().map(({ alert }) => [
        [alert, 0],
        [alert, 1],
      ]),
    )
  })
})

describe('the dashboard', () => {
  it('has each panel once, of the Prometheus that is chosen', () => {
    const { panels, templating } = JSON.parse(read('deploy/monitoring/dashboard.json')) as {
      panels: { id: number; type: string; datasource?: { uid: string }; targets?: object[] }[]
      templating: { list: { name: string }[] }
    }
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'job'])
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { type, datasource, targets } of panels.filter((one) => one.type !== 'row')) {
      expect(['stat', 'timeseries']).toContain(type)
      expect(datasource?.uid).toBe('${datasource}')
      for (const one of targets ?? []) expect(one).toMatchObject({ datasource: { uid: '${datasource}' } })
    }
  })
})
