import type { User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Day } from './text.tsx'

type Sort = 'last_sign_in_on' | '-last_sign_in_on'

/** What the address of a list of people has of it. */
export interface SignInView {
  since?: string | undefined
  sort?: string | undefined
}

/** The address's order; what somebody typed into it is not trusted. */
export const sortOf = (text: string | undefined): Sort | undefined =>
  text === 'last_sign_in_on' || text === '-last_sign_in_on' ? text : undefined

/** The day, where it is one. */
export const sinceOf = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined

/** The column of the last sign-in, whose title sorts: longest ago first, then latest first, then by address again. */
export function useSignInColumn(
  sort: Sort | undefined,
  choose: ((sort: Sort | undefined) => void) | undefined,
) {
  const { person } = useWords()
  const next = { none: 'last_sign_in_on', ascending: '-last_sign_in_on', descending: undefined } as const
  const now: keyof typeof next =
    sort === undefined ? 'none' : sort === 'last_sign_in_on' ? 'ascending' : 'descending'
  return {
    title: person.lastSignIn,
    as: 'whole',
    sorts: choose && { now, turn: () => choose(next[now]) },
    cell: ({ last_sign_in_on: on }: Pick<User, 'last_sign_in_on'>) =>
      on === null ? <span className="soft">{person.notNoted}</span> : <Day on={on} />,
  } as const
}

/** The order by a select, where a phone shows no titles that sort; nothing while a search has an order of its own. */
export function OrderChoice({
  sort,
  searching,
  onChange,
}: {
  sort: string | undefined
  searching: boolean
  onChange: (sort: Sort | undefined) => void
}) {
  const { person } = useWords()
  if (searching) return null
  return (
    <select
      className="order"
      aria-label={person.order}
      value={sortOf(sort) ?? 'none'}
      onChange={({ currentTarget }) => onChange(sortOf(currentTarget.value))}
    >
      {Object.entries(person.orders).map(([value, text]) => (
        <option key={value} value={value}>
          {`${person.order}: ${text}`}
        </option>
      ))}
    </select>
  )
}

/** Narrows to people who have not signed in since a day; not while something is searched. */
export function SinceFilter({
  value,
  searching,
  onChange,
}: {
  value: string | undefined
  searching: boolean
  onChange: (day: string | undefined) => void
}) {
  const { person } = useWords()
  return (
    <label className="day">
      {person.notSince}
      <input
        type="date"
        className="input"
        disabled={searching}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      />
    </label>
  )
}

/** What the filter and the order mean just now; nothing where nobody asked for either. */
export function SinceHint({ since, sort, searching }: SignInView & { searching: boolean }) {
  const { person } = useWords()
  if (since === undefined && sort === undefined) return null
  if (searching) return <p className="soft">{person.notWithSearch}</p>
  return since === undefined ? null : <p className="soft">{person.noneNoted}</p>
}

/** What the API is asked for: a search has an order of its own. */
export const askedBySignIn = (
  { since, sort }: SignInView,
  q: string,
): { signed_in_before?: string; sort?: Sort } => {
  const [order, before] = [sortOf(sort), sinceOf(since)]
  if (q !== '') return {}
  return { ...(before && { signed_in_before: before }), ...(order && { sort: order }) }
}
