import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useState } from 'react'
import { answered, api } from '../api/client.ts'
import { useLanguage, useWords } from '../messages/messages.tsx'
import { Chart } from '../shared/chart.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Shown } from '../shared/state.tsx'

export type Metric = 'people' | 'clients' | 'sign_ins' | 'refused_sign_ins'
type Span = 'day' | 'week'

const day = 24 * 3_600_000

/** The sign-ins of 24 hours by the hour, those of 7 days by the day. */
export const counted = (metric: Metric, span: Span = 'day') =>
  queryOptions({
    queryKey: ['statistics', metric, span],
    staleTime: 60_000,
    queryFn: () => {
      const from = new Date(Date.now() - 6 * day).toISOString()
      const query = { metric, ...(span === 'week' && { step: 'day' as const, from }) }
      return answered(api.GET('/admin/v1/statistics', { params: { query } }))
    },
  })

/** A unit has people alone; what they sign in to belongs to the organisation. */
export function useMetrics(): readonly Metric[] {
  const may = useMay()
  const { reach } = useMe()
  if (!may('iam.statistics.read')) return []
  return reach.kind === 'unit' ? ['people'] : ['people', 'clients', 'sign_ins', 'refused_sign_ins']
}

const details = {
  people: { to: '/people', permission: 'iam.users.read' },
  clients: { to: '/applications', permission: 'iam.clients.read' },
  sign_ins: { to: '/audit', search: { kind: 'sign_in.succeeded' }, permission: 'iam.audit.read' },
  refused_sign_ins: { to: '/audit', search: { kind: 'sign_in.failed' }, permission: 'iam.audit.read' },
} as const satisfies Record<Metric, LinkProps & { permission: string }>

/** How much there is, each with the way to it. */
export function Figures() {
  const metrics = useMetrics()
  if (metrics.length === 0) return null
  return (
    <ul className="figures">
      {metrics.map((metric) => (
        <Figure key={metric} metric={metric} />
      ))}
    </ul>
  )
}

function Figure({ metric }: { metric: Metric }) {
  const { start } = useWords()
  const number = new Intl.NumberFormat(useLanguage())
  const may = useMay()
  const { permission, ...way } = details[metric]
  const asked = useQuery(counted(metric))
  return (
    <li className="card">
      <span className="soft">
        {may(permission) ? <Link {...way}>{start.metrics[metric]}</Link> : start.metrics[metric]}
      </span>
      <Shown asked={asked} rows={1}>
        {({ total, more }) => (
          <strong>{more ? start.moreThan(number.format(total)) : number.format(total)}</strong>
        )}
      </Shown>
    </li>
  )
}

/** How sign-ins went. Their figures stand above, so the hours cost nothing more. */
export function SignIns() {
  const { start } = useWords()
  const [span, setSpan] = useState<Span>('day')
  const good = useQuery(counted('sign_ins', span))
  const refused = useQuery(counted('refused_sign_ins', span))
  const label = useLabel(span)
  const { reach } = useMe()
  return (
    <section className="card sign-ins">
      <div className="chips" role="group" aria-label={start.span}>
        {(['day', 'week'] as const).map((one) => (
          <button
            key={one}
            type="button"
            className="chip"
            aria-pressed={span === one}
            onClick={() => setSpan(one)}
          >
            {start.spans[one]}
          </button>
        ))}
      </div>
      <Shown asked={good}>
        {({ series }) => (
          <Shown asked={refused}>
            {(other) => (
              <Chart
                title={start.signIns}
                series={[start.succeeded, start.refused]}
                nothing={reach.kind === 'installation' ? start.nobody : start.nobodyHere}
                unit={start.units[span]}
                steps={series.map(({ at, count }, index) => ({
                  ...label(at),
                  counts: [count, other.series[index]?.count ?? 0],
                }))}
              />
            )}
          </Shown>
        )}
      </Shown>
    </section>
  )
}

/** Days are counted by UTC. */
function useLabel(span: Span): (at: string) => { label: string; short: string } {
  const language = useLanguage()
  const [short, more] =
    span === 'day'
      ? ([{ hour: 'numeric' }, { weekday: 'short' }] as const)
      : ([
          { weekday: 'short', timeZone: 'UTC' },
          { day: 'numeric', month: 'short' },
        ] as const)
  const written = (at: string, as: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, as).format(new Date(at))
  return (at) => ({ label: written(at, { ...short, ...more }), short: written(at, short) })
}
