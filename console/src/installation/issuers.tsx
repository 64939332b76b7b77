/** The issuers whose tokens prove applications: each a card, and set together. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { guarded } from '../api/change.ts'
import { api, withTag } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Field, TypedLines, type Wrong } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Picked } from '../shared/picked.tsx'
import { OrganisationPicker } from '../shared/pickers.tsx'
import { usePlaces } from '../shared/place.ts'
import { SettingsForm } from '../shared/settings.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { Badge, Heading } from '../shared/text.tsx'

type Shape = components['schemas']['AssertionIssuers']
type Issuer = NonNullable<Shape['issuers']>[number]

export function Issuers() {
  const { issuers: words, installation } = useWords()
  const asked = useQuery({
    queryKey: ['settled', 'assertion-issuers', 'tagged'],
    queryFn: () => withTag(api.GET('/admin/v1/assertion-issuers')),
  })
  return (
    <Shown asked={asked} page={{ name: installation, to: '/settings' }}>
      {(current) => (
        <>
          <Top {...current.data} />
          <p className="lead">{words.lead}</p>
          <Edit {...current} />
        </>
      )}
    </Shown>
  )
}

function Top({ managed_by: file }: Shape) {
  const { issuers: words, status } = useWords()
  return (
    <div className="top">
      <Heading>{words.title}</Heading>
      {file && <Badge tone="plain">{status.managed(file)}</Badge>}
    </div>
  )
}

function Edit({ data, tag }: Tagged<Shape>) {
  const { issuers: words } = useWords()
  const may = useMay()
  const mayChange = useMe().reach.kind === 'installation' && may('iam.assertion-issuers.update')
  const { managed_by: file } = data
  return (
    <div className="settings">
      <SettingsForm<{ issuers: Issuer[] }, Shape>
        tries
        current={{ data: { issuers: data.issuers ?? [] }, tag }}
        target="installation"
        kind="assertion_issuers.changed"
        file={file}
        labels={{ issuers: words.title }}
        nothing={words.nothing}
        ask={(body, tag, query) =>
          api.PUT('/admin/v1/assertion-issuers', { params: { query, header: guarded(tag, file) }, body })
        }
      >
        {({ value: { issuers }, set }, wrong) => (
          <fieldset disabled={!mayChange}>
            <legend className="away">{words.title}</legend>
            {issuers.length === 0 && <Empty title={words.empty}>{words.emptyHow}</Empty>}
            {issuers.map((one, at) => (
              <Card
                key={at}
                one={one}
                wrong={(name, values) => wrong(`issuers.${at}${name && `.${name}`}`, values)}
                change={(changes) =>
                  set({
                    issuers: issuers.map((other, index) => (index === at ? issuerOf(other, changes) : other)),
                  })
                }
                remove={() => set({ issuers: issuers.filter((_, index) => index !== at) })}
              />
            ))}
            {mayChange && (
              <Button variant="default" onClick={() => set({ issuers: [...issuers, { issuer: '' }] })}>
                {words.add}
              </Button>
            )}
          </fieldset>
        )}
      </SettingsForm>
    </div>
  )
}

/** Undefined takes a field out. */
type Changes = { [name in keyof Issuer]?: Issuer[name] | undefined }

/** Leaves out what is not said, so that the same is known as the same. */
const issuerOf = (one: Issuer, changes: Changes): Issuer => {
  const all = Object.entries({ ...one, ...changes }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(all) as Issuer
}

function Card({
  one,
  wrong,
  change,
  remove,
}: {
  one: Issuer
  wrong: Wrong
  change: (changes: Changes) => void
  remove: () => void
}) {
  const { issuers: words } = useWords()
  const { organisations = [] } = one
  const place = usePlaces(organisations.map((organisation_uuid) => ({ organisation_uuid })))
  const text = (name: 'issuer' | 'audience' | 'jwks_uri', description: string) => (
    <Field
      label={words[name]}
      description={description}
      value={one[name] ?? ''}
      onChange={(typed) => change({ [name]: typed === '' && name !== 'issuer' ? undefined : typed })}
      error={wrong(name)}
    />
  )
  return (
    <section className="card" aria-label={one.issuer || words.another}>
      {text('issuer', words.issuerHow)}
      {text('audience', words.audienceHow)}
      {text('jwks_uri', words.jwksUriHow)}
      <TypedLines
        label={words.jwks}
        description={words.jwksHow}
        value={one.jwks}
        written={(keys) => (keys === undefined ? '' : JSON.stringify(keys, undefined, 1))}
        read={keysIn}
        onChange={(jwks) => change({ jwks })}
        error={wrong('jwks')}
      />
      <Field
        label={words.lifetime}
        description={words.lifetimeHow}
        type="number"
        value={String(one.max_lifetime ?? '')}
        onChange={(typed) => change({ max_lifetime: typed === '' ? undefined : Number(typed) })}
        error={wrong('max_lifetime')}
      />
      <Picked
        label={words.organisations}
        values={organisations}
        named={(organisation_uuid) => place({ organisation_uuid })}
        onChange={(all) => change({ organisations: all.length === 0 ? undefined : all })}
      >
        {(add) => (
          <OrganisationPicker
            label={words.organisations}
            hint={words.organisationsHow}
            value={undefined}
            onChange={add}
            error={wrong('organisations', organisations)}
          />
        )}
      </Picked>
      <button type="button" className="quiet" onClick={remove}>
        {words.remove(one.issuer)}
      </button>
    </section>
  )
}

/** What is no JSON has no keys, which the API says. */
function keysIn(text: string): Issuer['jwks'] {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as Issuer['jwks']
  } catch {
    return { keys: [] }
  }
}
