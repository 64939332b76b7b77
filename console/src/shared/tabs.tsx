import { Link, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'

/** The parts of a thing, as links in a row. On a phone the row scrolls, to the part that is shown. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const row = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current]')
    if (!row.current || !current) return
    const middle = current.offsetLeft - row.current.offsetLeft + current.offsetWidth / 2
    row.current.scrollLeft = middle - row.current.clientWidth / 2
  }, [path])
  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {children}
    </nav>
  )
}

type Thing =
  | '/applications/$id'
  | '/people/$uuid'
  | '/roles/$code'
  | '/services/$code'
  | '/upstreams/$uuid'
  | '/directories/$uuid'
  | '/webhooks/$uuid'

/** The tabs of a thing: the first stands at its own address, the others below it. */
export function PartTabs({
  label,
  at,
  id,
  parts,
}: {
  label: string
  at: Thing
  /** What stands in the address for it. */
  id: { id: string } | { uuid: string } | { code: string }
  parts: readonly { part: string | undefined; label: string }[]
}) {
  return (
    <Tabs label={label}>
      {parts.map(({ part, label: text }) => (
        <Link
          key={text}
          to={part === undefined ? at : (`${at}/$part` as const)}
          params={{ ...id, part: part ?? '' }}
          activeOptions={{ exact: true }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {text}
        </Link>
      ))}
    </Tabs>
  )
}
