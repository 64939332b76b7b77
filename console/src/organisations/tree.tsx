import { Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { createContext, use, useEffect, useRef, useState } from 'react'
import { answered, api, type Organisation, type Unit } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Icon } from '../shared/icons.tsx'
import { Search, usePages } from '../shared/list.tsx'
import { useMe } from '../shared/me.ts'
import { Refused, Waiting } from '../shared/state.tsx'
import { Badge, Name } from '../shared/text.tsx'

/** What is open: what somebody opened or closed, else the way to the unit that is looked at. */
interface Open {
  isOpen: (unit: string) => boolean
  toggle: (unit: string) => void
}
const Opened = createContext<Open>({ isOpen: () => false, toggle: () => {} })

/** The units of an organisation, level by level as they are opened. */
export function Tree({ organisation, above }: { organisation: Organisation; above: readonly Unit[] }) {
  const { organisation: words } = useWords()
  const { organisation_unit_uuid: own } = useMe().reach
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({})
  const isOpen = (unit: string) => chosen[unit] ?? (unit === own || above.some(({ uuid }) => uuid === unit))
  const toggle = (unit: string) => setChosen((before) => ({ ...before, [unit]: !isOpen(unit) }))
  const { uuid, name } = organisation
  const start = own === null ? ({ top: 'true' } as const) : { uuid: own }
  return (
    <nav className="tree card" aria-label={words.units}>
      <Link
        className="root"
        to="/organisations/$uuid"
        params={{ uuid }}
        activeOptions={{ exact: true }}
        activeProps={{ 'aria-current': 'page' }}
      >
        <Icon name="organisations" />
        <Name>{name}</Name>
      </Link>
      <Search label={words.findUnit} hint={words.findUnit} value={q} onChange={setQ} />
      <Opened value={{ isOpen, toggle }}>
        {q === '' ? (
          <Units of={{ organisation_uuid: uuid, ...start }} empty={`${words.noUnit}. ${words.noUnitHow}`} />
        ) : (
          <Units of={{ organisation_uuid: uuid, q }} empty={words.noUnitFound} flat />
        )}
      </Opened>
    </nav>
  )
}

type TreeQuery = { organisation_uuid: string } & (
  | { top: 'true' }
  | { parent_uuid: string }
  | { uuid: string }
  | { q: string }
)

/** Units with whether there are others below each, which is one question for a page of them. */
function useUnits(of: TreeQuery) {
  return usePages(['units', of], async (cursor) => {
    const query = { ...of, limit: '100', ...(cursor && { cursor }) }
    const page = await answered(api.GET('/admin/v1/units', { params: { query } }))
    if (page.items.length === 0) return { ...page, items: [] }
    const parents = page.items.map(({ uuid }) => uuid).join(',')
    const below = await answered(
      api.GET('/admin/v1/units', { params: { query: { parent_uuid: parents, limit: '200' } } }),
    )
    const known = new Set(below.items.map(({ parent_uuid }) => parent_uuid))
    // Where more than one page is below them, any of them may have some.
    const hasBelow = (uuid: string) => below.next_cursor !== null || known.has(uuid)
    return { ...page, items: page.items.map((unit) => ({ ...unit, hasBelow: hasBelow(unit.uuid) })) }
  })
}

function Units({ of, empty, flat = false }: { of: TreeQuery; empty?: string; flat?: boolean }) {
  const words = useWords()
  const pages = useUnits(of)
  if (pages.error && !pages.data) return <Refused error={pages.error} retry={() => void pages.refetch()} />
  if (!pages.data) return <Waiting rows={2} />
  const units = pages.data.pages
    .flatMap(({ items }) => items)
    .sort((one, other) => one.name.localeCompare(other.name))
  if (units.length === 0) return empty ? <p className="soft">{empty}</p> : null
  return (
    <ul>
      {units.map(({ hasBelow, ...unit }) => (
        <Branch key={unit.uuid} unit={unit} opens={hasBelow && !flat} />
      ))}
      {pages.hasNextPage && (
        <li>
          <Button
            size="xs"
            variant="default"
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            {words.more}
          </Button>
        </li>
      )}
    </ul>
  )
}

function Branch({ unit, opens }: { unit: Unit; opens: boolean }) {
  const { organisation, status } = useWords()
  const { isOpen, toggle } = use(Opened)
  const { uuid, organisation_uuid: within, name, active } = unit
  const isShown = opens && isOpen(uuid)
  const row = useRef<HTMLDivElement>(null)
  const isCurrent = useParams({ strict: false }).unit === uuid
  useEffect(() => {
    if (isCurrent) bringIntoView(row.current)
  }, [isCurrent])
  return (
    <li>
      <div className="branch" ref={row}>
        {opens && (
          <button
            type="button"
            className="quiet"
            aria-expanded={isShown}
            aria-label={isShown ? organisation.hide(name) : organisation.show(name)}
            onClick={() => toggle(uuid)}
          >
            <Icon name="below" />
          </button>
        )}
        <Link
          to="/organisations/$uuid/units/$unit"
          params={{ uuid: within, unit: uuid }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <Name>{name}</Name>
        </Link>
        {!active && <Badge tone="bad">{status.disabled}</Badge>}
      </div>
      {isShown && <Units of={{ organisation_uuid: within, parent_uuid: uuid }} />}
    </li>
  )
}

/** The tree alone scrolls: the page stays where it is. */
function bringIntoView(row: HTMLElement | null): void {
  const tree = row?.closest('.tree')
  if (!row || !tree) return
  const [inner, outer] = [row.getBoundingClientRect(), tree.getBoundingClientRect()]
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    tree.scrollTop += inner.top - outer.top - outer.height / 2
}
