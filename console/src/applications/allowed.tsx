/** People who may use an application: everybody with a profile, or those whose profile meets each list. */
import { Fragment, useState } from 'react'
import type { Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Choice, type Wrong } from '../shared/form.tsx'
import { Picked } from '../shared/picked.tsx'
import { PermissionPicker, PlacePicker, RolePicker } from '../shared/pickers.tsx'
import { Badge } from '../shared/text.tsx'

type Lists = NonNullable<Client['allowed']>

const pickers = { roles: RolePicker, organisations: PlacePicker, permissions: PermissionPicker }
const lists = ['roles', 'organisations', 'permissions'] as const

/** Whether lists are wanted that name nothing yet. */
export const isUnnamed = (allowed: Lists | null): boolean =>
  allowed !== null && lists.every((list) => !allowed[list]?.length)

/** The lists have the order of the API, which tells by it whether something changed; a list that names nothing is none. */
function withList(allowed: Lists, list: keyof Lists, codes: string[]): Lists {
  const all: Lists = { ...allowed, [list]: codes }
  const { roles = [], organisations = [], permissions = [] } = all
  return {
    ...(roles.length > 0 && { roles }),
    ...(organisations.length > 0 && { organisations }),
    ...(permissions.length > 0 && { permissions }),
  }
}

export function AllowedFields({
  label,
  value,
  removed,
  owned,
  onChange,
  error,
  wrong,
}: {
  label: string
  /** Undefined: nobody has said it yet. */
  value: Lists | null | undefined
  /** What of the lists is not there any more. */
  removed?: Client['allowed_removed']
  /** The application belongs to an organisation. */
  owned: boolean
  onChange: (value: Lists | null) => void
  error: string | undefined
  wrong: Wrong
}) {
  const { allowed: words, wizard } = useWords()
  const [kept, keep] = useState<Lists>({})
  const choose = (chosen: string) => {
    keep(value ?? kept)
    onChange(chosen === 'some' ? kept : null)
  }
  return (
    <>
      <Choice
        label={label}
        description={[owned && words.owned, value && words.someHow].filter(Boolean).join(' ')}
        value={value === undefined ? '' : value === null ? 'everybody' : 'some'}
        onChange={choose}
        data={[
          ...(value === undefined ? [{ value: '', label: wizard.choose }] : []),
          { value: 'everybody', label: words.everybody },
          { value: 'some', label: words.some },
        ]}
        error={error}
      />
      {value &&
        lists.map((list) => {
          const codes = value[list] ?? []
          const gone = codes.filter((code) => removed?.[list]?.includes(code))
          const OnePicker = pickers[list]
          return (
            <Picked
              key={list}
              label={words.lists[list]}
              values={codes}
              onChange={(codes) => onChange(withList(value, list, codes))}
              gone={gone}
            >
              {(add) => (
                <OnePicker
                  label={words.lists[list]}
                  description={words.how[list]}
                  hint={words.any[list]}
                  value={undefined}
                  onChange={add}
                  error={wrong(`allowed.${list}`, codes)}
                />
              )}
            </Picked>
          )
        })}
    </>
  )
}

/** People who may use an application, in words; `at` is the organisation that it belongs to. */
export function AllowedWords({
  value,
  removed,
  at,
}: {
  value: Lists | null
  removed?: Client['allowed_removed']
  at?: string | undefined
}) {
  const { allowed: words } = useWords()
  if (value === null) return at === undefined ? words.everybody : words.everybodyAt(at)
  return (
    <>
      {words.some}
      <ul className="plain">
        {lists.map((list) => {
          const codes = value[list]
          return (
            codes && (
              <li key={list}>
                {words.lists[list]}{' '}
                {codes.map((code, index) => (
                  <Fragment key={code}>
                    {index > 0 && ', '}
                    <code translate="no">{code}</code>
                    {removed?.[list]?.includes(code) && (
                      <>
                        {' '}
                        <Badge tone="warn">{words.removed}</Badge>
                      </>
                    )}
                  </Fragment>
                ))}
              </li>
            )
          )
        })}
      </ul>
    </>
  )
}
