/** Fields of an application behind a proxy, as its settings and the wizard ask for them. */
import type { Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Check, Choice, List, type Wrong } from '../shared/form.tsx'
import { useMe } from '../shared/me.ts'
import { Permissions, Services } from './fields.tsx'

type Header = Client['headers'][number]

export const headers = [
  'Remote-User',
  'Remote-Email',
  'Remote-Name',
  'Remote-Groups',
  'Remote-Organisation',
  'X-Access-Token',
] as const satisfies readonly Header[]

/** Administrators of the whole installation alone say where it is. */
export const useMaySayWhere = (): boolean => useMe().reach.kind === 'installation'

export function Origins({
  values,
  onChange,
  error,
}: {
  values: readonly string[]
  onChange: (values: string[]) => void
  error: string | undefined
}) {
  const { proxied: words } = useWords()
  const may = useMaySayWhere()
  return (
    <List
      label={words.origins}
      description={may ? words.originsHow : words.originsOthers}
      readOnly={!may}
      values={values}
      onChange={onChange}
      error={error}
    />
  )
}

export type Told = Pick<Client, 'headers' | 'remote_user' | 'services' | 'permissions'>

/** What it is told; a token is for one service, and says what may be done there. */
export function ToldFields({
  value,
  set,
  wrong,
}: {
  value: Told
  set: (changes: Partial<Told>) => void
  wrong: Wrong
}) {
  const { proxied: words } = useWords()
  const tells = (name: Header) => value.headers.includes(name)
  return (
    <>
      <fieldset className="checks">
        <legend className="away">{words.headers}</legend>
        <p className="lead">{words.headersHow}</p>
        {headers.map((name) => (
          <Check
            key={name}
            label={<code translate="no">{name}</code>}
            description={words.header[name]}
            checked={tells(name)}
            onChange={(on) =>
              set({ headers: headers.filter((one) => (one === name ? on : value.headers.includes(one))) })
            }
          />
        ))}
      </fieldset>
      {wrong('headers', value.headers) && <p className="wrong">{wrong('headers', value.headers)}</p>}
      {tells('Remote-User') && (
        <div className="field">
          <Choice
            label={words.remoteUser}
            value={value.remote_user}
            onChange={(user) => set({ remote_user: user === 'email' ? 'email' : 'sub' })}
            data={(['sub', 'email'] as const).map((value) => ({ value, label: words.remoteUsers[value] }))}
            error={wrong('remote_user')}
          />
        </div>
      )}
      {(tells('X-Access-Token') || value.services.length > 0) && (
        <div className="field">
          <Services
            values={value.services}
            onChange={(services) => set({ services })}
            error={wrong('services', value.services)}
          />
          <Permissions
            machine={false}
            values={value.permissions}
            onChange={(permissions) => set({ permissions })}
            error={wrong('permissions', value.permissions)}
          />
        </div>
      )}
    </>
  )
}
