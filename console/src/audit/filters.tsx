import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker, PersonPicker } from '../shared/pickers.tsx'
import { KindPicker } from '../shared/kind-picker.tsx'

const route = getRouteApi('/audit')
export type AuditSearch = ReturnType<typeof route.useSearch>

/** Still open after a record was looked at. */
let wasOpen = false

/** Whether the filters are unfolded, which a wide window shows in any case. */
export function useFold(): [open: boolean, turn: () => void] {
  const [open, setOpen] = useState(wasOpen)
  return [open, () => setOpen((wasOpen = !open))]
}

/** Unfolds them on a phone, and says how many narrow the list. */
export function Fold({ asked, open, turn }: { asked: AuditSearch; open: boolean; turn: () => void }) {
  const { records: audit } = useWords()
  const { kind, actor, user, organisation, from, to } = asked
  const count = [kind, actor, user, organisation, from, to].filter(Boolean).length
  return (
    <Button variant="default" className="fold" aria-expanded={open} aria-controls={panel} onClick={turn}>
      {audit.filters(count)}
    </Button>
  )
}

const panel = 'audit-filters'

/** Filters for the actor, the target and the time. */
export function Filters({
  asked,
  open,
  choose,
}: {
  asked: AuditSearch
  open: boolean
  choose: (change: AuditSearch) => void
}) {
  const { records: audit, history } = useWords()
  const may = useMay()
  const { reach } = useMe()
  const { kind, actor, user, organisation, from = '', to = '' } = asked
  const time = (at: string) => (Number.isNaN(Date.parse(at)) ? undefined : new Date(at).toISOString())
  return (
    <div id={panel} className={open ? 'audit-filters' : 'audit-filters folded'}>
      <KindPicker label={audit.kind} value={kind} onChange={(kind) => choose({ kind })} />
      {may('iam.users.read') && (
        <>
          <PersonPicker label={history.who} value={actor} onChange={(actor) => choose({ actor })} />
          <PersonPicker label={audit.user} value={user} onChange={(user) => choose({ user })} />
        </>
      )}
      {reach.kind === 'installation' && may('iam.organisations.read') && (
        <OrganisationPicker
          label={audit.organisation}
          value={organisation}
          onChange={(organisation) => choose({ organisation })}
        />
      )}
      <label>
        {audit.from}
        <input
          type="date"
          className="input"
          value={from.slice(0, 10)}
          onChange={({ currentTarget: { value } }) => choose({ from: time(value) })}
        />
      </label>
      <label>
        {audit.to}
        <input
          type="date"
          className="input"
          value={to.slice(0, 10)}
          onChange={({ currentTarget: { value } }) => choose({ to: time(value) })}
        />
      </label>
    </div>
  )
}
