import { Button } from '@mantine/core'
import { useState } from 'react'
import { type How, useChange } from '../api/change.ts'
import { api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Confirm, Dialog } from '../shared/dialog.tsx'
import { fieldsOf, Form, Until } from '../shared/form.tsx'
import { Table } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import { SecretDialog } from '../shared/shown-once.tsx'
import { Empty, Refused } from '../shared/state.tsx'
import { Badge, Time } from '../shared/text.tsx'

type Secret = Client['secrets'][number]

const make = (id: string, until: string, { query, key }: How) =>
  api.POST('/admin/v1/clients/{client_id}/secrets', {
    params: { path: { client_id: id }, query, header: { 'Idempotency-Key': key } },
    body: until === '' ? {} : { expires_at: until },
  })

/** What was made just now, and the one that it replaces. */
interface Made {
  value: string | undefined
  replaces?: string
}

/** Of which only times are known. At most two count, the old and the new. */
export function Secrets({ data: client, tag }: Tagged<Client>) {
  const { secrets: words } = useWords()
  const may = useMay()('iam.clients.update')
  const counting = client.secrets.filter((one) => !isOver(one))
  const [made, setMade] = useState<Made>()
  const row = { client, tag, another: counting.length > 1, made: setMade }
  return (
    <>
      <p className="lead">{words.lead}</p>
      {client.secrets.length === 0 ? (
        <Empty title={words.empty}>{words.emptyHow}</Empty>
      ) : (
        <Table
          label={words.title}
          rows={client.secrets}
          id={({ id }) => id}
          columns={[
            { title: words.made, cell: ({ created_at: at }) => <Time at={at} /> },
            { title: words.ends, cell: (secret) => <Ends {...secret} /> },
            {
              title: words.actions,
              plain: true,
              cell: (secret) => may && <Actions {...row} secret={secret} />,
            },
          ]}
        />
      )}
      {may && counting.length < 2 && <Add client={client} made={setMade} />}
      {counting.length > 1 && <p className="soft">{words.two}</p>}
      {made && <Shown client={client} made={made} close={() => setMade(undefined)} />}
    </>
  )
}

const isOver = ({ expires_at: end }: Secret) => end !== null && Date.parse(end) <= Date.now()

function Ends(secret: Secret) {
  const { secrets: words, status } = useWords()
  if (isOver(secret)) return <Badge tone="plain">{status.expired}</Badge>
  return secret.expires_at === null ? words.never : <Time at={secret.expires_at} />
}

interface One {
  client: Client
  tag: string
  secret: Secret
}

/** Where another counts, the leaked one is ended at once; else a new one is made first. */
function Actions({ another, made, ...one }: One & { another: boolean; made: (made: Made) => void }) {
  const { secrets: words } = useWords()
  return (
    <div className="actions">
      {!another && !isOver(one.secret) && <Replace {...one} made={made} />}
      <End {...one} label={words.end}>
        {another ? words.endOne : words.endLast}
      </End>
    </div>
  )
}

function End({ client, tag, secret, label, children }: One & { label: string; children: string }) {
  const { secrets: words } = useWords()
  const path = { client_id: client.client_id, secret_id: secret.id }
  return (
    <Confirm
      label={label}
      title={words.endTitle}
      danger
      what={['end secret', secret.id, tag]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/clients/{client_id}/secrets/{secret_id}', {
          params: { path, query, header: { 'If-Match': tag } },
        })
      }
    >
      <p>{children}</p>
    </Confirm>
  )
}

const secretOf = (answer: object) =>
  'client_secret' in answer && typeof answer.client_secret === 'string' ? answer.client_secret : undefined

/** Makes another at once, which breaks nothing; the old one is ended where the new one is shown. */
function Replace({ client, secret, made }: Omit<One, 'tag'> & { made: (made: Made) => void }) {
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

function Shown({ client, made, close }: { client: Client; made: Made; close: () => void }) {
  const { secrets: words, close: closing } = useWords()
  const { value, replaces } = made
  return (
    <SecretDialog
      title={replaces === undefined ? words.added : words.replaceTitle}
      label="client_secret"
      value={value}
      close={close}
    >
      {replaces === undefined ? (
        <div className="buttons">
          <Button onClick={close}>{value === undefined ? closing : words.stored}</Button>
        </div>
      ) : (
        <EndOld client={client} id={replaces} close={close} />
      )}
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

function Add({ client: { client_id: id }, made }: { client: Client; made: (made: Made) => void }) {
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
