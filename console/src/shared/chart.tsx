import { useWords } from '../messages/messages.tsx'
import { Table } from './table.tsx'
import './chart.css'

interface Step {
  label: string
  /** Below the bar. */
  short: string
  /** One for each series. */
  counts: readonly number[]
}

const height = 176
/** The labels stand below. */
const ground = height - 24
const highOf = (count: number, top: number) => (ground - 16) * (count / top)

/** Bars in a row, one series on the other, and the same as a table. Everything is drawn in parts of the width. */
export function Chart({
  title,
  series,
  steps,
  unit,
  nothing,
}: {
  title: string
  series: readonly string[]
  steps: readonly Step[]
  /** What a step is. */
  unit: string
  /** What to say where every count is 0. */
  nothing: string
}) {
  const { asTable } = useWords()
  const most = Math.max(...steps.map(({ counts }) => sum(counts)))
  const top = roundUp(most)
  return (
    <figure className="chart">
      <figcaption>
        <h2>{title}</h2>
      </figcaption>
      {most === 0 && <p className="soft">{nothing}</p>}
      <svg width="100%" height={height} aria-hidden="true">
        {[top, top / 2].map((count) => (
          <g key={count} transform={`translate(0 ${ground - highOf(count, top)})`}>
            <line x2="100%" />
            <text y={-4}>{count}</text>
          </g>
        ))}
        <line className="ground" x2="100%" y1={ground} y2={ground} />
        {steps.map((step, index) => (
          <Bar key={step.label} {...{ step, index, series, top }} of={steps.length} />
        ))}
      </svg>
      <ul className="legend">
        {series.map((name, index) => (
          <li key={name} className={`series-${index}`}>
            {name}
          </li>
        ))}
      </ul>
      <details>
        <summary>{asTable}</summary>
        <Table
          label={title}
          rows={steps}
          id={({ label }) => label}
          columns={[
            { title: unit, plain: true, cell: ({ label }) => label },
            ...series.map((name, index) => ({ title: name, cell: ({ counts }: Step) => counts[index] })),
          ]}
        />
      </details>
    </figure>
  )
}

interface Drawn {
  step: Step
  index: number
  of: number
  series: readonly string[]
  top: number
}

function Bar({ step: { label, short, counts }, index, of, series, top }: Drawn) {
  // The numbers of the lines stand at the left.
  const [wide, x] = [94 / of, 6 + index * (94 / of)]
  const every = Math.ceil(of / 8)
  const last = index === of - 1
  const inset = wide * (every > 1 ? 0.15 : 0.28)
  const heights = counts.map((count) => highOf(count, top))
  return (
    <g className="step">
      <title>{`${label}: ${series.map((name, at) => `${counts[at]} ${name}`).join(', ')}`}</title>
      <rect className="reach" x={`${x}%`} y="0" width={`${wide}%`} height={ground} />
      {heights.map((high, at) => (
        <rect
          key={series[at]}
          className={`series-${at}`}
          x={`${x + inset}%`}
          y={ground - sum(heights.slice(0, at + 1))}
          width={`${wide - 2 * inset}%`}
          height={high}
        />
      ))}
      {index % every === 0 && (
        <text
          // A phone has room for every other one of many.
          className={every > 1 && index % (2 * every) !== 0 ? 'between' : undefined}
          x={`${last ? 100 : x + wide / 2}%`}
          y={height - 6}
          textAnchor={last ? 'end' : 'middle'}
        >
          {short}
        </text>
      )}
    </g>
  )
}

const sum = (counts: readonly number[]) => counts.reduce((before, one) => before + one, 0)

/** The next even number of one or two digits and noughts, so that half is whole. */
function roundUp(count: number): number {
  const digits = 10 ** Math.max(0, String(count).length - 2)
  return Math.max(2, 2 * Math.ceil(count / (2 * digits)) * digits)
}
