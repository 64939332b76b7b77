import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay } from '../shared/me.ts'
import { Table } from '../shared/table.tsx'
import { Badge } from '../shared/text.tsx'

interface SettledRow {
  to: '/policy' | '/branding' | '/upstreams' | '/settings/issuers'
  label: string
  how: string
  value: string
  file: string | null
}

type Kept = { managed_by: string | null }

/** What the service keeps, and the console changes, as far as one may read it. */
export function useSettled(): SettledRow[] {
  const { policy, branding, installed, issuers } = useWords()
  const [policyNow, brandingNow, glassNow, issuersNow] = [
    useKept('policy', () => answered(api.GET('/admin/v1/policy'))),
    useKept('branding', () => answered(api.GET('/admin/v1/branding'))),
    useKept('break-glass', () => answered(api.GET('/admin/v1/break-glass'))),
    useKept('assertion-issuers', () => answered(api.GET('/admin/v1/assertion-issuers'))),
  ]
  const told = ({ managed_by: file, ...values }: Kept) => {
    const all = Object.values(values)
    return { file, value: installed.setOf(all.filter((one) => one !== null).length, all.length) }
  }
  return [
    ...(policyNow
      ? [{ to: '/policy' as const, label: policy, how: installed.policyHow, ...told(policyNow) }]
      : []),
    ...(brandingNow
      ? [{ to: '/branding' as const, label: branding, how: installed.brandingHow, ...told(brandingNow) }]
      : []),
    ...(glassNow
      ? [
          {
            to: '/upstreams' as const,
            label: installed.breakGlass,
            how: installed.breakGlassHow,
            file: glassNow.managed_by,
            value: installed.people(glassNow.people?.length ?? 0),
          },
        ]
      : []),
    ...(issuersNow
      ? [
          {
            to: '/settings/issuers' as const,
            label: issuers.title,
            how: issuers.short,
            file: issuersNow.managed_by,
            value: issuers.count(issuersNow.issuers?.length ?? 0),
          },
        ]
      : []),
  ]
}

function useKept<T>(
  name: 'policy' | 'branding' | 'break-glass' | 'assertion-issuers',
  queryFn: () => Promise<T>,
): T | undefined {
  const may = useMay()
  return useQuery({ queryKey: ['settled', name], enabled: may(`iam.${name}.read`), queryFn }).data
}

export function Settled({ rows }: { rows: readonly SettledRow[] }) {
  const { installed } = useWords()
  return (
    <section aria-labelledby="settled">
      <h2 id="settled">{installed.here}</h2>
      <p className="lead">{installed.hereHow}</p>
      <Table
        label={installed.here}
        rows={rows}
        id={({ to }) => to}
        columns={[
          {
            title: installed.name,
            plain: true,
            cell: ({ to, label, how }) => (
              <>
                <Link className="strong" to={to}>
                  {label}
                </Link>
                <p className="soft">{how}</p>
              </>
            ),
          },
          { title: installed.value, cell: ({ value }) => value },
          {
            title: installed.source,
            plain: true,
            as: 'state',
            cell: ({ file }) => (
              <Badge tone="plain">{file === null ? installed.inConsole : installed.inFile(file)}</Badge>
            ),
          },
        ]}
      />
    </section>
  )
}
