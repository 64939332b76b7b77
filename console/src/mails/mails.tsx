/** What became of the mails, never what they say. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm } from '../shared/dialog.tsx'
import { Filter, Pages, Search, usePages } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import { Badge, Heading, Name, Time } from '../shared/text.tsx'
import { useUnderWay } from '../shared/under-way.ts'
import { From, NothingSent } from './server.tsx'
import { TestMail } from './test.tsx'
import './mails.css'

type Mail = components['schemas']['Mail']

const route = getRouteApi('/mails')
const tones = { waiting: 'warn', sent: 'good', dead: 'bad' } as const
type State = keyof typeof tones
const isState = (text: string | undefined): text is State => text !== undefined && Object.hasOwn(tones, text)

export function Mails() {
  const { mails, mail: words } = useWords()
  const { state: asked, recipient = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const state = isState(asked) ? asked : undefined
  const mayChange = useMay()('iam.mails.update')
  const server = useQuery({
    queryKey: ['mail-server'],
    queryFn: () => answered(api.GET('/admin/v1/mail-server')),
  })
  const pages = usePages(['mails', state, recipient], (cursor) => {
    const query = {
      limit: '50',
      ...(state && { state }),
      ...(recipient && { recipient }),
      ...(cursor && { cursor }),
    }
    return answered(api.GET('/admin/v1/mails', { params: { query } }))
  })
  useUnderWay(pages.data?.pages.flatMap(({ items }) => items) ?? [], pages.refetch)
  const search = (change: { state?: string | undefined; recipient?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }) as typeof before, replace: true })
  const again = {
    title: words.again,
    plain: true,
    away: true,
    cell: (one: Mail) => one.state === 'dead' && <Again mail={one} />,
  }
  return (
    <>
      <div className="top">
        <div>
          <Heading>{mails}</Heading>
          {server.data && <From {...server.data} />}
        </div>
        {mayChange && server.data !== undefined && server.data.sends !== 'nothing' && <TestMail />}
      </div>
      {server.data?.sends === 'nothing' && <NothingSent />}
      <div className="filters">
        <Search
          label={words.recipient}
          hint={words.find}
          value={recipient}
          onChange={(recipient) => search({ recipient: recipient || undefined })}
        />
        <Filter label={words.state} value={state} onChange={(state) => search({ state })} of={words.states} />
      </div>
      <Pages
        pages={pages}
        label={mails}
        id={({ id }) => id}
        count={words.found}
        file={{ path: '/mails', query: { ...(state && { state }), ...(recipient && { recipient }) } }}
        empty={{
          title: words.empty,
          how: state === undefined && recipient === '' ? words.emptyHow : words.noMatchHow,
        }}
        columns={[
          { title: words.what, plain: true, cell: (one) => <What {...one} /> },
          { title: words.when, cell: ({ created_at: at }) => <Time at={at} /> },
          { title: words.became, cell: (one) => <Became {...one} /> },
          {
            title: words.state,
            plain: true,
            as: 'state',
            cell: ({ state }) => <Badge tone={tones[state]}>{words.states[state]}</Badge>,
          },
          ...(mayChange ? [again] : []),
        ]}
      />
    </>
  )
}

function What(mail: Mail) {
  const { mail: words } = useWords()
  return (
    <div className="mail">
      <strong>{words.kinds[mail.kind] ?? mail.kind}</strong>
      <br />
      <Recipient {...mail} />
    </div>
  )
}

function Recipient({ recipient, user_uuid: uuid }: Mail) {
  const may = useMay()('iam.users.read')
  if (uuid === null || !may) return <Name>{recipient}</Name>
  return (
    <Link to="/people/$uuid" params={{ uuid }}>
      <Name>{recipient}</Name>
    </Link>
  )
}

/** The mail server's last words on a mail, and what comes next. */
function Became({ state, attempts, error, next_at: next, ended_at: ended, expires_at: until }: Mail) {
  const { mail: words } = useWords()
  return (
    <>
      {error !== null && <Name>{error}</Name>}{' '}
      <span className="soft">
        {attempts > 1 && `${words.attempts(attempts)}, `}
        {state === 'waiting' && next !== null ? (
          <>
            {words.next} <Time at={next} />, {words.until} <Time at={until} />
          </>
        ) : (
          ended !== null && <Time at={ended} />
        )}
      </span>
    </>
  )
}

function Again({ mail: { id, recipient } }: { mail: Mail }) {
  const { mail: words } = useWords()
  return (
    <Confirm
      quiet
      label={words.again}
      title={words.againTitle(recipient)}
      what={['mail', id]}
      ask={({ query }) =>
        api.POST('/admin/v1/mails/{id}/replay', { params: { path: { id }, query }, body: {} })
      }
    >
      <p>{words.againWhat}</p>
    </Confirm>
  )
}
