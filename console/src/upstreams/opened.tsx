/** Who else opens an organisation, who gets in when its upstream does not work, and whether people come by it alone. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { overriding } from '../api/change.ts'
import { answered, api, type Organisation } from '../api/client.ts'
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
    params: { path: { uuid }, query, header: { 'If-Match': tag, ...overriding(file) } },
    body,
  })

export function Opened(of: OfOrganisation) {
  const { opened: words } = useWords()
  const isEverything = useMe().reach.kind === 'installation'
  const { accepts, break_glass: people } = of.organisation
  const organisation = usePlaces(accepts.map((uuid) => ({ organisation_uuid: uuid })))
  const person = usePeople(people)
  return (
    <section aria-labelledby="opened">
      <div className="line head">
        <h2 id="opened">{words.title}</h2>
      </div>
      <Forced {...of} />
      <Named
        {...of}
        field="break_glass"
        values={people}
        nameOf={person}
        mayAdd={isEverything && people.length < 3}
        beside={!isEverything && <p className="soft">{words.breakGlassOthers}</p>}
        pick={(value, onChange, error) => (
          <PersonPicker label={words.person} value={value} onChange={onChange} error={error} />
        )}
      />
      <Named
        {...of}
        field="accepts"
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

/** Their names; a uuid where one may not be read. */
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

interface NamedList extends OfOrganisation {
  field: 'accepts' | 'break_glass'
  values: readonly string[]
  nameOf: (uuid: string) => string
  mayAdd: boolean
  beside?: ReactNode
  pick: (
    value: string | undefined,
    onChange: (value: string | undefined) => void,
    error: string | undefined,
  ) => ReactNode
}

/** A list of an organisation; each change of it is tried out first. */
function Named({ field, values, nameOf, mayAdd, beside, pick, ...of }: NamedList) {
  const { opened, organisation: shared } = useWords()
  const mayChange = useMay()('iam.organisations.update')
  const words = opened[field]
  const { uuid, managed_by: file } = of.organisation
  return (
    <section className="card" aria-label={words.title}>
      <div className="line">
        <div>
          <h3>{words.title}</h3>
          <p className="soft">{words.how}</p>
        </div>
        {mayChange && mayAdd && (
          <Opening label={words.add} title={words.add}>
            {(close) => <Adding {...of} {...{ field, values, pick, close }} />}
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
                <Confirm
                  quiet
                  danger
                  label={shared.remove}
                  title={words.removeTitle(nameOf(value))}
                  file={file}
                  what={[field, uuid, of.tag, value]}
                  ask={({ query }) => patch(of, { [field]: values.filter((one) => one !== value) }, query)}
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
  pick,
  close,
  ...of
}: Pick<NamedList, 'field' | 'values' | 'pick'> & OfOrganisation & { close: () => void }) {
  const { opened } = useWords()
  const words = opened[field]
  const [chosen, setChosen] = useState<string>()
  const { uuid, managed_by: file } = of.organisation
  return (
    <Confirmation
      label={words.add}
      file={file}
      what={[field, uuid, of.tag, chosen]}
      close={close}
      done={close}
      ask={
        chosen === undefined
          ? undefined
          : ({ query }) => patch(of, { [field]: [...values, chosen].sort() }, query)
      }
    >
      {(refused) => (
        <>
          <p>{words.addWhat}</p>
          {pick(chosen, setChosen, refused[field] ?? refused[`${field}.0`])}
        </>
      )}
    </Confirmation>
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
