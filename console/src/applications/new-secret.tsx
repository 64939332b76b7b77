/** A secret that is made: beside another, or instead of one that leaked. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { type How, useChange } from '../api/change.ts'
import { api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Dialog } from '../shared/dialog.tsx'
import { fieldsOf, Form } from '../shared/form.tsx'
import { SecretDialog } from '../shared/shown-once.tsx'
import { Refused } from '../shared/state.tsx'
import { Until } from '../shared/until.tsx'

type Secret = Client['secrets'][number]

const make = (id: string, until: string, { query, key }: How) =>
  api.POST('/admin/v1/clients/{client_id}/secrets', {
    params: { path: { client_id: id }, query, header: { 'Idempotency-Key': key } },
    body: until === '' ? {} : { expires_at: until },
  })

/** What was made just now, and the one that it replaces. */
export interface Made {
  value: string | undefined
  replaces?: string
}

const secretOf = (answer: object) =>
  'client_secret' in answer && typeof answer.client_secret === 'string' ? answer.client_secret : undefined

/** Makes another at once, which breaks nothing; the old one is ended where the new one is shown. */
export function Replace({
  client,
  secret,
  made,
}: {
  client: Client
  secret: Secret
  made: (made: Made) => void
}) {
  const { secrets: words } = useWords()
  const change = useChange(
    (_: null, how) => make(client.client_id, '', how),
    (answer) => made({ value: secretOf(answer), replaces: secret.id }),
  )
  return (
    <>
      <Button loading={change.isPending} onClick={() => change.mutate(null)}>
        {words.replace}
      </Button>
      {change.error && <Refused error={change.error} />}
    </>
  )
}

export function Shown({ client, made, close }: { client: Client; made: Made; close: () => void }) {
  const { secrets: words } = useWords()
  const { value, replaces } = made
  return (
    <SecretDialog
      title={replaces === undefined ? words.added : words.replaceTitle}
      label="client_secret"
      value={value}
      close={close}
    >
      {replaces === undefined ? undefined : <EndOld client={client} id={replaces} close={close} />}
    </SecretDialog>
  )
}

function EndOld({ client, id, close }: { client: Client; id: string; close: () => void }) {
  const { secrets: words } = useWords()
  const path = { client_id: client.client_id, secret_id: id }
  const ended = useChange(
    (_: null, { query }) =>
      api.DELETE('/admin/v1/clients/{client_id}/secrets/{secret_id}', { params: { path, query } }),
    close,
  )
  return (
    <>
      <ol className="steps">
        <li>{words.replacePut}</li>
        <li>{words.replaceEnd}</li>
      </ol>
      {ended.error && <Refused error={ended.error} />}
      <div className="buttons">
        <Button variant="default" onClick={close}>
          {words.later}
        </Button>
        <Button className="danger" loading={ended.isPending} onClick={() => ended.mutate(null)}>
          {words.endOld}
        </Button>
      </div>
    </>
  )
}

export function Add({ client: { client_id: id }, made }: { client: Client; made: (made: Made) => void }) {
  const { secrets: words, cancel } = useWords()
  const [opened, setOpened] = useState(false)
  const [until, setUntil] = useState('')
  const close = () => {
    setOpened(false)
    setUntil('')
  }
  const change = useChange(
    (until: string, how) => make(id, until, how),
    (answer) => {
      close()
      made({ value: secretOf(answer) })
    },
  )
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {words.add}
      </Button>
      <Dialog title={words.add} opened={opened} onClose={close}>
        <Form
          sent={change}
          submit={() => change.mutate(until)}
          label={words.make}
          beside={
            <Button variant="default" onClick={close}>
              {cancel}
            </Button>
          }
        >
          <p className="lead">{words.addWhat}</p>
          <Until
            label={words.ends}
            value={until}
            onChange={setUntil}
            error={fieldsOf(change.error)['expires_at']}
          />
        </Form>
      </Dialog>
    </>
  )
}
