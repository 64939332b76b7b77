import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { answered, api, type SentInvitation } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Field, fieldsOf, Form, Lines } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { ApplicationPicker } from '../shared/pickers.tsx'
import { Heading } from '../shared/text.tsx'
import { asProfile, GivenFields, useGiven } from './given.tsx'
import { Gives } from './gives.tsx'
import { addressesIn, InviteMany, type ManyInvited, most } from './invite-many.tsx'
import { Sent } from './sent.tsx'

/** Asks people to join: what they may do and where, then who it is. */
export function Invite() {
  const { people, invite } = useWords()
  const [sent, setSent] = useState<SentInvitation>()
  return (
    <>
      <nav className="crumbs" aria-label={people}>
        <Link to="/people">{people}</Link>
      </nav>
      <div className="top">
        <Heading>{invite.title}</Heading>
      </div>
      {sent === undefined ? (
        <div className="narrow">
          <Asking sent={setSent} />
        </div>
      ) : (
        <section className="card narrow">
          <Sent invitation={sent} />
          <div className="buttons">
            <Button variant="default" renderRoot={(root) => <Link to="/people/invitations" {...root} />}>
              {invite.back}
            </Button>
            <Button onClick={() => setSent(undefined)}>{invite.another}</Button>
          </div>
        </section>
      )}
    </>
  )
}

function Asking({ sent }: { sent: (invitation: SentInvitation) => void }) {
  const { invite } = useWords()
  const may = useMay()
  const [given, setGiven] = useGiven()
  const [typed, setTyped] = useState('')
  const [name, setName] = useState('')
  const [client, setClient] = useState<string>()
  const [many, setMany] = useState<ManyInvited>()
  const emails = addressesIn(typed)
  const [email = ''] = emails
  const isMany = emails.length > 1
  const known = useKnown(isMany ? '' : email)
  const change = useChange(
    (
      body: { email: string; name: string | null; client_id: string | null; profiles: Profiles },
      { query, key },
    ) => api.POST('/admin/v1/invitations', { params: { query, header: { 'Idempotency-Key': key } }, body }),
    sent,
  )
  const refused = fieldsOf(change.error)
  const tooMany = emails.length > most ? invite.tooMany(most) : undefined
  const submit = () => {
    const asked = { client_id: client ?? null, profiles: [asProfile(given)] }
    if (isMany) setMany({ emails, ...asked })
    else change.mutate({ email, name: name.trim() || null, ...asked })
  }
  return (
    <>
      <Form
        sent={change}
        label={isMany ? invite.inviteMany(emails.length) : invite.invite}
        disabled={given.role === undefined || email === '' || known !== undefined || tooMany !== undefined}
        submit={submit}
      >
        <section className="card">
          <h2>{invite.may}</h2>
          <p className="soft">{invite.mayHow}</p>
          <GivenFields
            given={given}
            onChange={setGiven}
            refused={(field) => refused[`profiles.0.${field}`]}
          />
          {given.role !== undefined && <Gives code={given.role} />}
        </section>
        <section className="card">
          <h2>{invite.who}</h2>
          <div className="fields">
            <Lines
              label={invite.email}
              description={invite.emailHow}
              rows={Math.min(Math.max(emails.length, 1), 10)}
              maxLength={100_000}
              value={typed}
              onChange={setTyped}
              error={tooMany ?? refused['email']}
            />
            {known && <Known {...known} />}
            {!isMany && (
              <Field
                autoComplete="off"
                label={invite.name}
                description={invite.nameHow}
                value={name}
                onChange={setName}
                error={refused['name']}
              />
            )}
            {may('iam.clients.read') && (
              <ApplicationPicker
                label={invite.client}
                description={invite.clientHow}
                hint={invite.account}
                value={client}
                onChange={setClient}
                error={refused['client_id']}
              />
            )}
          </div>
        </section>
      </Form>
      <InviteMany body={many} close={() => setMany(undefined)} />
    </>
  )
}
type Profiles = ReturnType<typeof asProfile>[]

/** The person within reach with this address: they need no invitation. */
function useKnown(email: string) {
  const q = email.toLowerCase()
  const { data } = useQuery({
    queryKey: ['people', 'with', q],
    enabled: /^\S+@\S+\.\S+$/.test(q),
    queryFn: async () => {
      const { items } = await answered(api.GET('/admin/v1/users', { params: { query: { q, limit: '5' } } }))
      return items.find((one) => one.email.toLowerCase() === q) ?? null
    },
  })
  return data ?? undefined
}

function Known({ uuid, name }: { uuid: string; name: string }) {
  const { invite } = useWords()
  return (
    <p className="notice warn" role="status">
      {invite.known(name)}{' '}
      <Link to="/people/$uuid" params={{ uuid }}>
        {invite.knownHow}
      </Link>
    </p>
  )
}
