import type { About } from './about.ts'
import { type Bar, isMet, type Outcome, type Table } from './outcome.ts'

export interface Report {
  about: About
  /** By the name of their part. */
  outcomes: readonly (readonly [string, Outcome])[]
}

/** The report as Markdown; `chart` is the file beside it. */
export function describe({ about, outcomes }: Report, chart: string): string {
  const bars = outcomes.flatMap(([, outcome]) => outcome.bars)
  const versions = Object.entries(about.versions).map(([name, version]) => `${name} ${version}`)
  const sections = outcomes.map(([name, outcome]) => section(name, outcome))
  return `# Speed

${about.machine}; ${versions.join(', ')}; commit ${about.commit}; seed ${about.seed}; ${about.at}, ${about.seconds} s,
load average at the end ${about.loadAverage.join(', ')}. Signatures are made by ${about.signatures}.
[bench/README.md](../README.md) says how each figure is taken.

![Each bar beside its limit](${chart})

${table({ title: '', head: ['what', 'measured', 'bar', ''], rows: bars.map(barRow) })}
${sections.join('\n')}`
}

function barRow(bar: Bar): string[] {
  const measured = bar.measured === undefined ? '' : `${figure(bar.measured)} ${bar.unit}`
  return [
    bar.what,
    measured,
    `${bar.sort === 'at most' ? '≤' : '≥'} ${figure(bar.bar)} ${bar.unit}`,
    verdict(bar),
  ]
}

export function verdict(bar: Bar): string {
  const met = isMet(bar)
  if (met === undefined) return bar.why ?? 'not measured'
  const said = met ? 'met' : 'not met'
  return bar.why === undefined ? said : `${said}; ${bar.why}`
}

/** Three digits that tell, and never more than a reader needs. */
export function figure(value: number): string {
  if (Math.abs(value) >= 10_000) return `${Math.round(value / 1000).toLocaleString('en')},000`
  if (Math.abs(value) >= 100 || value === 0) return value.toFixed(0)
  return String(Number(value.toFixed(Math.abs(value) >= 10 ? 1 : 2)))
}

function section(name: string, { tables, notes }: Outcome): string {
  const said = notes.map((note) => `${note}\n`).join('\n')
  return `## ${name}\n\n${tables.map((one) => table(one)).join('\n')}${said === '' ? '' : `\n${said}`}`
}

function table({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const heading = title === '' ? '' : `${title}:\n\n`
  return heading + line(head) + line(head.map(() => '---')) + rows.map(line).join('')
}
