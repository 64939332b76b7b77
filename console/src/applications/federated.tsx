import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answered, api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Check, Choice, Field, TypedLines } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import type { Editing } from './settings-fields.tsx'

type Match = NonNullable<Client['federated']>
type Claims = NonNullable<Match['claims']>

/** The tokens that prove an application that has neither a secret nor keys of its own. */
export function Federated({ edit: { value: client, set }, wrong }: Editing) {
  const { issuers: words } = useWords()
  const declared = useIssuers()
  const { federated: match, type, metadata, jwks, jwks_uri: address } = client
  const proves = metadata !== 'document' && (type === 'web' || type === 'machine')
  if (!proves || jwks !== null || address !== null) return null
  const turn = (on: boolean) =>
    set(
      on
        ? {
            federated: { issuer: declared?.[0] ?? '', subject: '' },
            token_endpoint_auth_method: 'private_key_jwt',
          }
        : { federated: null, token_endpoint_auth_method: 'client_secret_basic' },
    )
  return (
    <section className="card">
      <h2>{words.proof}</h2>
      <Check
        label={words.byToken}
        description={words.byTokenHow}
        checked={match !== null}
        onChange={turn}
        error={wrong('token_endpoint_auth_method')}
      />
      {match !== null && (
        <>
          <Issuer
            declared={declared}
            value={match.issuer}
            onChange={(issuer) => set({ federated: { ...match, issuer } })}
            error={wrong('federated.issuer')}
          />
          <Matching match={match} change={(federated) => set({ federated })} wrong={wrong} />
        </>
      )}
    </section>
  )
}

/** Issuers to choose from; undefined: one may not read them. */
function useIssuers(): string[] | undefined {
  const may = useMay()
  const { data } = useQuery({
    queryKey: ['settled', 'assertion-issuers'],
    enabled: may('iam.assertion-issuers.read'),
    queryFn: () => answered(api.GET('/admin/v1/assertion-issuers')),
  })
  return data && (data.issuers ?? []).map(({ issuer }) => issuer)
}

function Issuer({
  declared,
  ...field
}: Pick<Parameters<typeof Field>[0], 'value' | 'onChange' | 'error'> & { declared: string[] | undefined }) {
  const { issuers: words } = useWords()
  if (declared === undefined) return <Field label={words.issuer} description={words.issuerHow} {...field} />
  const all = [...new Set([...declared, field.value])].filter((one) => one !== '')
  return (
    <Choice
      label={words.issuer}
      description={
        <Link className="inline" to="/settings/issuers">
          {words.title}
        </Link>
      }
      data={[{ value: '', label: words.choose }, ...all.map((value) => ({ value, label: value }))]}
      {...field}
    />
  )
}

function Matching({
  match: { issuer, subject, claims },
  change,
  wrong,
}: {
  match: Match
  change: (match: Match) => void
  wrong: Editing['wrong']
}) {
  const { issuers: words } = useWords()
  return (
    <>
      <Choice
        label={words.by}
        value={claims === undefined ? 'subject' : 'claims'}
        data={[
          { value: 'claims', label: words.byClaims },
          { value: 'subject', label: words.bySubject },
        ]}
        onChange={(by) => change(by === 'claims' ? { issuer, claims: {} } : { issuer, subject: '' })}
      />
      {claims === undefined ? (
        <Field
          label={words.subject}
          description={words.subjectHow}
          value={subject ?? ''}
          onChange={(typed) => change({ issuer, subject: typed })}
          error={wrong('federated.subject')}
        />
      ) : (
        <TypedLines
          label={words.claims}
          description={words.claimsHow}
          placeholder={'repository_id = 456789\nref = refs/heads/main'}
          value={claims}
          written={written}
          read={claimsIn}
          onChange={(all) => change({ issuer, claims: all })}
          error={wrong('federated.claims') ?? wrong('federated.subject')}
        />
      )}
    </>
  )
}

/** A text stands after =, a number, true or false after :=, so that an id in digits stays the text that it is. */
const written = (claims: Claims): string =>
  Object.entries(claims)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? '=' : ':='} ${value}`)
    .join('\n')

function claimsIn(text: string): Claims {
  const lines = text.split('\n').flatMap((line) => {
    const [, name, sign, value = ''] = /^\s*(.*?)\s*(:?=)\s*(.*?)\s*$/.exec(line) ?? []
    return name === undefined ? [] : [[name, sign === '=' ? value : plainOf(value)] as const]
  })
  // The API's order, so that the same is known as the same.
  return Object.fromEntries(lines.sort(([one], [other]) => (one < other ? -1 : 1)))
}

const plainOf = (value: string): Claims[string] =>
  value === 'true' || value === 'false' ? value === 'true' : Number(value)
