import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { overriding } from '../api/change.ts'
import { answered, api, type SentInvitation } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm, Confirmation, Opening } from '../shared/dialog.tsx'
import { Filter, Pages, usePages } from '../shared/list.tsx'
import { useMay, useMayInvite } from '../shared/me.ts'
import { usePlaces } from '../shared/place.ts'
import { Badge, Name, Time } from '../shared/text.tsx'
import { Sent } from './sent.tsx'
import { Invite, PeopleTop } from './top.tsx'

const route = getRouteApi('/people/invitations')
const tones = { pending: 'warn', accepted: 'good', withdrawn: 'plain', expired: 'plain' } as const
type State = keyof typeof tones
const isState = (text: string | undefined): text is State => text !== undefined && Object.hasOwn(tones, text)

/** People asked to join, who answered or did not. */
export function Invitations() {
  const { invite, status } = useWords()
  const may = useMay()
  const mayInvite = useMayInvite()
  const { state: asked } = route.useSearch()
  const navigate = route.useNavigate()
  const state = isState(asked) ? asked : undefined
  const pages = usePages(['invitations', state], (cursor) => {
    const query = { limit: '50', ...(state && { state }), ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/invitations', { params: { query } }))
  })
  const actions = {
    title: invite.again,
    away: true,
    plain: true,
    cell: (one: Invitation) => (
      <div className="actions">
        {mayInvite && (one.state === 'pending' || one.state === 'expired') && <Again invitation={one} />}
        {may('iam.invitations.delete') && one.state === 'pending' && <Withdraw invitation={one} />}
      </div>
    ),
  }
  return (
    <>
      <PeopleTop />
      <div className="filters">
        <Filter
          label={invite.state}
          value={state}
          onChange={(state) => void navigate({ search: state ? { state } : {}, replace: true })}
          of={invite.states}
        />
      </div>
      <Pages
        pages={pages}
        label={invite.invitations}
        id={({ uuid }) => uuid}
        count={invite.found}
        file={{ path: '/invitations', query: { ...(state && { state }) } }}
        empty={{ title: invite.nothing, how: invite.nothingHow, action: <Invite /> }}
        columns={[
          { title: invite.email, plain: true, cell: (one) => <Invited {...one} /> },
          { title: invite.gives, cell: (one) => <Gives {...one} /> },
          {
            title: invite.state,
            plain: true,
            as: 'state',
            cell: ({ state, managed_by: file }) => (
              <span className="badges">
                <Badge tone={tones[state]}>{invite.states[state]}</Badge>
                {file && <Badge tone="plain">{status.managed(file)}</Badge>}
              </span>
            ),
          },
          { title: invite.until, cell: ({ expires_at }) => <Time at={expires_at} /> },
          ...(mayInvite || may('iam.invitations.delete') ? [actions] : []),
        ]}
      />
    </>
  )
}

type Invitation = Omit<SentInvitation, 'link'>

const Invited = ({ email, name }: Invitation) => (
  <>
    <Name>{email}</Name>
    {name !== null && (
      <small className="soft">
        <Name>{name}</Name>
      </small>
    )}
  </>
)

function Gives({ profiles }: Invitation) {
  const { invite } = useWords()
  const places = profiles.map((one) => ({ ...one, organisation_uuid: one.organisation_uuid ?? null }))
  const place = usePlaces(places)
  if (profiles.length === 0) return invite.givesNothing
  return (
    <ul className="plain">
      {places.map((one) => (
        <li key={`${one.role_code} ${place(one)}`}>
          <code translate="no">{one.role_code}</code>{' '}
          <span className="soft">
            <Name>{place(one)}</Name>
          </span>
        </li>
      ))}
    </ul>
  )
}

function Again({ invitation: { uuid, email } }: { invitation: Invitation }) {
  const { invite } = useWords()
  return (
    <Opening quiet label={invite.again} title={invite.againTitle(email)}>
      {(close) => <Sending uuid={uuid} close={close} />}
    </Opening>
  )
}

function Sending({ uuid, close }: { uuid: string; close: () => void }) {
  const { invite, close: closing } = useWords()
  const [sent, setSent] = useState<SentInvitation>()
  if (sent !== undefined)
    return (
      <>
        <Sent invitation={sent} />
        <div className="buttons">
          <Button onClick={close}>{closing}</Button>
        </div>
      </>
    )
  return (
    <Confirmation
      label={invite.again}
      what={['invitation', uuid]}
      close={close}
      done={setSent}
      ask={({ query }) =>
        api.POST('/admin/v1/invitations/{uuid}/resend', { params: { path: { uuid }, query }, body: {} })
      }
    >
      <p>{invite.againWhat}</p>
    </Confirmation>
  )
}

function Withdraw({ invitation: { uuid, email, managed_by: file } }: { invitation: Invitation }) {
  const { invite } = useWords()
  return (
    <Confirm
      quiet
      danger
      label={invite.withdraw}
      title={invite.withdrawTitle(email)}
      file={file}
      what={['invitation', uuid]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/invitations/{uuid}', {
          params: {
            path: { uuid },
            query,
            header: overriding(file),
          },
        })
      }
    >
      <p>{invite.withdrawWhat}</p>
    </Confirm>
  )
}
