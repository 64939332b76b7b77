/** Other upstreams that open an organisation, its break-glass people, and whether people come by its upstream alone. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { guarded } from '../api/change.ts'
import { type Answer, answered, api, type Organisation, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm, Confirmation, Opening } from '../shared/dialog.tsx'
import { Field } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker, PersonPicker } from '../shared/pickers.tsx'
import { usePlaces } from '../shared/place.ts'
import { Badge, Name } from '../shared/text.tsx'

interface OfOrganisation {
  organisation: Organisation
  tag: string
}

type Changes = { accepts?: string[]; break_glass?: string[]; policy?: { sign_in: 'any' | 'upstream' } }

const patch = (
  { organisation: { uuid, managed_by: file }, tag }: OfOrganisation,
  body: Changes,
  query: { dry_run?: 'true' },
) =>
  api.PATCH('/admin/v1/organisations/{uuid}', {
    params: { path: { uuid }, query, header: guarded(tag, file) },
    body,
  })

export function Opened(of: OfOrganisation) {
  const { opened: words } = useWords()
  const may = useMay()
  const isEverything = useMe().reach.kind === 'installation'
  const { accepts, break_glass: people } = of.organisation
  const organisation = usePlaces(accepts.map((uuid) => ({ organisation_uuid: uuid })))
  const person = usePeople(people)
  const named = (field: 'accepts' | 'break_glass') => ({
    field,
    mayChange: may('iam.organisations.update'),
    file: of.organisation.managed_by,
    what: [field, of.organisation.uuid, of.tag],
    ask: (values: string[], query: { dry_run?: 'true' }) => patch(of, { [field]: values }, query),
  })
  return (
    <section aria-labelledby="opened">
      <div className="line head">
        <h2 id="opened">{words.title}</h2>
      </div>
      <Forced {...of} />
      <Named
        {...named('break_glass')}
        values={people}
        nameOf={person}
        mayAdd={isEverything && people.length < 3}
        beside={!isEverything && <p className="soft">{words.breakGlassOthers}</p>}
        pick={(value, onChange, error) => (
          <PersonPicker label={words.person} value={value} onChange={onChange} error={error} />
        )}
      />
      <Named
        {...named('accepts')}
        values={accepts}
        nameOf={(uuid) => organisation({ organisation_uuid: uuid })}
        mayAdd
        pick={(value, onChange, error) =>
          isEverything ? (
            <OrganisationPicker label={words.organisation} value={value} onChange={onChange} error={error} />
          ) : (
            <Field
              label={words.organisation}
              description={words.organisationUuid}
              value={value ?? ''}
              onChange={(typed) => onChange(typed.trim() || undefined)}
              error={error}
            />
          )
        }
      />
    </section>
  )
}

/** The names of people; a uuid where one may not be read. */
function usePeople(uuids: readonly string[]): (uuid: string) => string {
  const may = useMay()
  const { data } = useQuery({
    queryKey: ['people', uuids],
    enabled: uuids.length > 0 && may('iam.users.read'),
    queryFn: async () => {
      const asked = uuids.map((uuid) =>
        answered(api.GET('/admin/v1/users/{uuid}', { params: { path: { uuid } } })),
      )
      const found = await Promise.allSettled(asked)
      return new Map(
        found.flatMap((one) => (one.status === 'fulfilled' ? [[one.value.uuid, one.value.name]] : [])),
      )
    },
  })
  return (uuid) => data?.get(uuid) ?? uuid
}

interface NamedList {
  field: 'accepts' | 'break_glass'
  values: readonly string[]
  nameOf: (uuid: string) => string
  mayChange: boolean
  mayAdd: boolean
  /** The file that manages the list. */
  file: string | null
  /** The version that the list is of. */
  what: readonly unknown[]
  ask: (values: string[], query: { dry_run?: 'true' }) => Promise<Answer<unknown>>
  beside?: ReactNode
  pick: (
    value: string | undefined,
    onChange: (value: string | undefined) => void,
    error: string | undefined,
  ) => ReactNode
}

/** A list of those who are named; each change of it is tried out first. */
function Named({ beside, nameOf, mayChange, mayAdd, ...list }: NamedList) {
  const { opened, organisation: shared } = useWords()
  const { field, values, file, what, ask } = list
  const words = opened[field]
  return (
    <section className="card" aria-label={words.title}>
      <div className="line">
        <div>
          <h3>{words.title}</h3>
          <p className="soft">{words.how}</p>
        </div>
        {mayChange && mayAdd && (
          <Opening label={words.add} title={words.add}>
            {(close) => <Adding {...list} close={close} />}
          </Opening>
        )}
      </div>
      {beside}
      {values.length === 0 ? (
        <p className="none">{words.none}</p>
      ) : (
        <ul className="named">
          {values.map((value) => (
            <li key={value}>
              <Name>{nameOf(value)}</Name>
              {mayChange && (
                <Confirm<unknown>
                  quiet
                  danger
                  label={shared.remove}
                  title={words.removeTitle(nameOf(value))}
                  file={file}
                  what={[...what, value]}
                  ask={({ query }) =>
                    ask(
                      values.filter((one) => one !== value),
                      query,
                    )
                  }
                >
                  <p>{words.removeWhat}</p>
                </Confirm>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Adding({
  field,
  values,
  file,
  what,
  ask,
  pick,
  close,
}: Omit<NamedList, 'beside' | 'nameOf' | 'mayChange' | 'mayAdd'> & { close: () => void }) {
  const { opened } = useWords()
  const words = opened[field]
  const [chosen, setChosen] = useState<string>()
  return (
    <Confirmation<unknown>
      label={words.add}
      file={file}
      what={[...what, chosen]}
      close={close}
      done={close}
      ask={chosen === undefined ? undefined : ({ query }) => ask([...values, chosen].sort(), query)}
    >
      {(refused) => (
        <>
          <p>{words.addWhat}</p>
          {pick(chosen, setChosen, refused[field] ?? refused['people'])}
        </>
      )}
    </Confirmation>
  )
}

/** People who get in when the installation's upstreams do not work. */
export function BreakGlass() {
  const { opened: words } = useWords()
  const may = useMay()
  const asked = useQuery({
    queryKey: ['break glass'],
    enabled: may('iam.break-glass.read'),
    queryFn: () => withTag(api.GET('/admin/v1/break-glass')),
  })
  const { data, tag } = asked.data ?? {}
  const people = data?.people ?? []
  const person = usePeople(people)
  if (data === undefined) return null
  const file = data.managed_by
  return (
    <section aria-labelledby="opened">
      <div className="line head">
        <h2 id="opened">{words.title}</h2>
      </div>
      <Named
        field="break_glass"
        values={people}
        nameOf={person}
        mayChange={may('iam.break-glass.update')}
        mayAdd={people.length < 3}
        file={file}
        what={['break glass', tag]}
        ask={(values, query) =>
          api.PUT('/admin/v1/break-glass', {
            params: { query, header: guarded(tag ?? '', file) },
            body: { people: values },
          })
        }
        pick={(value, onChange, error) => (
          <PersonPicker label={words.person} value={value} onChange={onChange} error={error} />
        )}
      />
    </section>
  )
}

/** Whether people act here only by the organisation's own upstream. */
function Forced(of: OfOrganisation) {
  const { opened } = useWords()
  const mayChange = useMay()('iam.organisations.update')
  const words = opened.forced
  const { organisation, tag } = of
  const isForced = organisation.policy?.sign_in === 'upstream'
  return (
    <section className="card" aria-label={words.title}>
      <div className="line">
        <div>
          <h3>{words.title}</h3>
          <p className="soft">{words.how}</p>
          <p className="none">
            <Badge tone={isForced ? 'good' : 'plain'}>{isForced ? words.on : words.off}</Badge>
          </p>
        </div>
        {mayChange && (
          <Confirm
            label={isForced ? words.loosen : words.force}
            title={isForced ? words.loosenTitle : words.forceTitle}
            danger={!isForced}
            file={organisation.managed_by}
            what={['forced', organisation.uuid, tag, isForced]}
            ask={({ query }) => patch(of, { policy: { sign_in: isForced ? 'any' : 'upstream' } }, query)}
          >
            <p>{isForced ? words.loosenWhat : words.forceWhat}</p>
          </Confirm>
        )}
      </div>
    </section>
  )
}
