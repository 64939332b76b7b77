import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { overriding } from '../api/change.ts'
import { answered, api, proposed, type Remedy, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirmation, Dialog } from '../shared/dialog.tsx'
import { Until } from '../shared/until.tsx'
import { usePlaces } from '../shared/place.ts'
import { Refused, Shown } from '../shared/state.tsx'
import { Badge, Name } from '../shared/text.tsx'
import type { About } from './drawing.tsx'

interface Cured {
  about: About
  done: () => void
}

/** Up to three changes that would allow it, those that give the least first. */
export function Cures({ about, done }: Cured) {
  const { why } = useWords()
  const { permission, user, profile, client } = about
  const asked = useQuery({
    queryKey: ['remedies', user, profile?.profile_uuid, permission, client],
    queryFn: async () => {
      const query = {
        permission,
        include: 'remedies',
        ...(user && { user_uuid: user }),
        ...(profile && { profile_uuid: profile.profile_uuid }),
        ...(client && { client_id: client }),
      }
      // What a file manages can be changed all the same; the dialog says that it does.
      return await answered(
        api.GET('/admin/v1/access/explain', { params: { query }, headers: overriding('any') }),
      )
    },
  })
  return (
    <section className="card">
      <h2>{why.cures}</h2>
      <Shown asked={asked}>
        {({ remedies = [], chain, would_grant: otherwise }) => {
          const failing = chain.filter(({ holds }) => !holds)
          const several = failing.length > 1
          const told = several || remedies.length === 0
          return (
            <>
              {several && <p className="soft">{why.cureHow}</p>}
              <ul className="plain cures">
                {remedies.map((remedy) => (
                  <Cure key={JSON.stringify(remedy.body) + remedy.path} {...{ remedy, about, done }} />
                ))}
              </ul>
              {told && otherwise.length > 0 && (
                <details open={remedies.length === 0}>
                  <summary>{why.inWords}</summary>
                  <ul>
                    {failing.map(({ check }, index) => (
                      <li key={check}>{why.mends[check] ?? otherwise[index]}</li>
                    ))}
                  </ul>
                </details>
              )}
            </>
          )
        }}
      </Shown>
    </section>
  )
}

/** What gives more than these beside is unfolded before it is done. */
const few = 6

function Cure({ remedy, about, done }: Cured & { remedy: Remedy }) {
  const { why } = useWords()
  const title = useTitle(remedy, about)
  const [opened, setOpened] = useState(false)
  const close = () => setOpened(false)
  const { allowed, by, gives, refusal, body } = remedy
  const isMuch = gives.length > few
  const label = isMuch ? why.giveAll(gives.length + 1) : why.doIt
  const button = (
    <Button
      variant="default"
      className={isMuch ? 'danger' : ''}
      aria-label={`${label}: ${title}`}
      onClick={() => setOpened(true)}
    >
      {label}
    </Button>
  )
  return (
    <li>
      <div className="line">
        <strong>
          <Name>{title}</Name>
        </strong>
        {!allowed && (
          <Badge tone="plain">{by === 'organisation' ? why.byOrganisation : why.byInstallation}</Badge>
        )}
        {allowed && !isMuch && button}
      </div>
      {isMuch ? (
        <details>
          <summary>{why.much(gives.length)}</summary>
          <Codes codes={gives} />
          {allowed && button}
        </details>
      ) : (
        <>
          <p className="soft">
            {isForMany(remedy) ? why.forMany : gives.length === 0 ? why.givesNothing : why.gives}
          </p>
          {!isForMany(remedy) && gives.length > 0 && <Codes codes={gives} />}
        </>
      )}
      {'scope' in body && <p className="soft">{why.askForIt}</p>}
      {refusal !== null && <p className="soft">{refusal}</p>}
      <Dialog title={title} opened={opened} onClose={close} size="lg">
        <Doing {...{ remedy, about, close, label, danger: isMuch }} done={done} />
      </Dialog>
    </li>
  )
}

const Codes = ({ codes }: { codes: readonly string[] }) => (
  <p>
    {codes.map((code) => (
      <code key={code} className="tag" translate="no">
        {code}
      </code>
    ))}
  </p>
)

/** Tried out, with an end where it is a profile, and made once it is confirmed. */
function Doing({
  remedy,
  about,
  close,
  label,
  danger,
  done,
}: Cured & { remedy: Remedy; close: () => void; label: string; danger: boolean }) {
  const { why } = useWords()
  const { method, path, body } = remedy
  const [end, setEnd] = useState('')
  const ends = path === '/profiles' || 'expires_at' in body
  // The thing's tag, and the file that manages it.
  const thing = useQuery({
    queryKey: ['thing', path],
    gcTime: 0,
    enabled: method === 'PATCH',
    queryFn: () => withTag(proposed('GET', path, {})),
  })
  if (thing.error) return <Refused error={thing.error} />
  const own = (thing.data?.data as { managed_by?: string | null } | undefined)?.managed_by
  const file = own ?? (/^\/(users|profiles)/.test(path) ? about.file : null)
  const tag = thing.data?.tag ?? ''
  if (method === 'PATCH' && tag === '') return null
  return (
    <Confirmation
      label={label}
      danger={danger}
      what={['remedy', path, body, tag, end]}
      file={file}
      close={close}
      done={() => {
        close()
        done()
      }}
      ask={({ query, key }) =>
        proposed(method, path, {
          query: { ...query },
          body: ends ? { ...body, expires_at: end === '' ? null : end } : body,
          headers: {
            ...(method === 'PATCH' ? { 'If-Match': tag } : key !== '' && { 'Idempotency-Key': key }),
            ...overriding(file),
          },
        })
      }
    >
      {ends && <Until label={why.until} value={end} onChange={setEnd} />}
    </Confirmation>
  )
}

const partOf = ({ path }: Remedy) => path.split('/')[1] ?? ''

/** A remedy that changes more people's access. */
const isForMany = (remedy: Remedy) => !['users', 'profiles'].includes(partOf(remedy))

function useTitle(remedy: Remedy, { name, place = '', permission, profile }: About): string {
  const { title } = useWords().why.cure
  const { path, body } = remedy
  const [, part = '', id = ''] = path.split('/')
  const given = part === 'profiles' && id === ''
  const at = given ? placeIn(body) : { organisation_uuid: part === 'organisations' ? id : null }
  const placeName = usePlaces([at])
  if (given) return title.profile(name, String(body['role_code']), placeName(at))
  if ('expires_at' in body) return title.noEnd(name)
  if ('allowed' in body) return title.letIn(id, profile?.role_code ?? '')
  if ('services' in body) return title.service(permission.split('.')[0] ?? '', id)
  if ('scope' in body) return title.scope(id, String(body['scope']))
  if ('permissions' in body)
    return part === 'roles' ? title.role(id, permission) : title.client(id, permission)
  if (part === 'users') return title.enable(name)
  if (part === 'roles' || part === 'clients') return title.enable(id)
  if (part === 'profiles') return title.enableProfile(name)
  return title.enable(part === 'organisations' ? placeName(at) : place)
}

const placeIn = ({ organisation_uuid: organisation, organisation_unit_uuid: unit }: Remedy['body']) => ({
  organisation_uuid: organisation ? String(organisation) : null,
  organisation_unit_uuid: unit ? String(unit) : null,
})
