import { type Bar, isMet } from './outcome.ts'
import { figure, type Report } from './report.ts'

const row = 20
const top = 46
const names = 400
const scale = 250
const figures = 290
/** Longer ones are cut here, and their figure tells the rest. */
const longest = 1.6

/** Every bar beside its limit: the line is the limit, and what ends before it is within. */
export function drawChart({ about, outcomes }: Report): string {
  const bars = outcomes.flatMap(([, outcome]) => outcome.bars).filter((bar) => bar.measured !== undefined)
  const width = names + scale * longest + figures
  const height = top + bars.length * row + 30
  const limit = names + scale
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Each measured figure as a part of its limit">
<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .quiet { fill: #57606a }
  .met { fill: #2b7a5b }
  .missed { fill: #c4473a }
  .track { fill: #8b949e33 }
  .limit { stroke: #24292f; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .met { fill: #4fb58c }
    .missed { fill: #f0776a }
    .limit { stroke: #e6edf3 }
  }
</style>
<text x="12" y="20">Tessera, ${escaped(about.commit)}, ${about.at.slice(0, 10)}</text>
<text class="quiet" x="${limit}" y="34" text-anchor="middle">limit</text>
${bars.map((bar, index) => drawBar(bar, top + index * row)).join('\n')}
<line class="limit" x1="${limit}" x2="${limit}" y1="${top - 8}" y2="${top + bars.length * row}"/>
<text class="quiet" x="12" y="${height - 10}">How much of its limit each figure takes: shorter is better. For what must be at least so much, the limit as a part of the figure.</text>
</svg>
`
}

function drawBar(bar: Bar, y: number): string {
  const measured = bar.measured ?? Number.NaN
  const part = bar.sort === 'at most' ? measured / bar.bar : bar.bar / measured
  // Nothing of a limit of nothing is within it.
  const length = Number.isNaN(part) ? 1 : Math.max(1, Math.min(longest, part) * scale)
  const sign = bar.sort === 'at most' ? '≤' : '≥'
  return `<text x="${names - 10}" y="${y + 13}" text-anchor="end">${escaped(bar.what)}</text>
<rect class="track" x="${names}" y="${y + 2}" width="${scale * longest}" height="13" rx="3"/>
<rect class="${isMet(bar) ? 'met' : 'missed'}" x="${names}" y="${y + 2}" width="${length.toFixed(1)}" height="13" rx="3"/>
<text x="${names + scale * longest + 10}" y="${y + 13}">${figure(measured)} <tspan class="quiet">${sign} ${figure(bar.bar)} ${escaped(bar.unit)}</tspan>${isMet(bar) ? '' : ' not met'}</text>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
