import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { answered, api, type Client } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Choice, Form } from '../shared/form.tsx'
import { Icon } from '../shared/icons.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { Badge, Fact, Heading, Time } from '../shared/text.tsx'
import { Claims } from './claims.tsx'
import { Scopes, scopesOf } from './fields.tsx'

type Trial = components['schemas']['ClientTrial']
type NewTrial = components['schemas']['NewClientTrial']

/** Which application a trial is of: the address that it comes back to names the trial alone. No secret. */
const keyOf = (trial: string) => `tessera-console-trial-${trial}`

const prompts = ['login', 'consent', 'select_account'] as const
type Prompt = (typeof prompts)[number]
const promptOf = (text: string): Prompt | undefined => prompts.find((one) => one === text)

/** Goes through the sign-in of an application as oneself: leaves for it, and comes back to `/try`. */
export function Try({ data: { client_id: id, scope: most } }: Tagged<Client>) {
  const { trial: words } = useWords()
  const [scope, setScope] = useState(most)
  const [prompt, setPrompt] = useState('')
  const change = useChange<null, NewTrial>(
    () => {
      const page = promptOf(prompt)
      const body = { scope, ...(page && { prompt: page }) }
      return api.POST('/admin/v1/clients/{client_id}/trials', { params: { path: { client_id: id } }, body })
    },
    ({ trial, url }) => {
      sessionStorage.setItem(keyOf(trial), id)
      location.assign(url)
    },
  )
  return (
    <>
      <p className="lead">{words.lead}</p>
      <section className="card">
        <Form sent={change} submit={() => change.mutate(null)} label={words.begin}>
          <Scopes only={scopesOf(most)} scope={scope} onChange={setScope} />
          <Choice
            label={words.prompt}
            value={prompt}
            onChange={setPrompt}
            data={['', ...prompts].map((value) => ({
              value,
              label: words.prompts[promptOf(value) ?? 'none'],
            }))}
          />
        </Form>
      </section>
    </>
  )
}

const route = getRouteApi('/try')

/** What came of it, when the browser is back. */
export function Tried() {
  const { trial: words } = useWords()
  const { state: trial = '' } = route.useSearch()
  const id = sessionStorage.getItem(keyOf(trial))
  return id === null ? (
    <>
      <Heading>{words.title}</Heading>
      <Empty title={words.elsewhere}>{words.elsewhereHow}</Empty>
    </>
  ) : (
    <Outcome id={id} trial={trial} />
  )
}

function Outcome({ id, trial }: { id: string; trial: string }) {
  const words = useWords()
  const asked = useQuery({
    queryKey: ['trial', id, trial],
    queryFn: () =>
      answered(
        api.GET('/admin/v1/clients/{client_id}/trials/{trial}', {
          params: { path: { client_id: id, trial } },
        }),
      ),
  })
  return (
    <>
      <nav className="crumbs" aria-label={words.applications}>
        <Link to="/applications/$id" params={{ id }}>
          <bdi translate="no">{id}</bdi>
        </Link>
      </nav>
      <div className="top">
        <Heading>{words.trial.title}</Heading>
        <Link to="/applications/$id/$part" params={{ id, part: 'try' }}>
          {words.trial.again}
        </Link>
      </div>
      <Shown asked={asked}>{(outcome) => <Verdict outcome={outcome} />}</Shown>
    </>
  )
}

function Verdict({ outcome: { state, signed_in: who, tokens, refusal, scope } }: { outcome: Trial }) {
  const { trial: words } = useWords()
  if (refusal !== null)
    return (
      <>
        <div className="notice verdict fails" role="alert">
          <Icon name="fails" />
          <p>
            <strong>{words.refused}</strong> {refusal.error_description}
          </p>
        </div>
        <section className="card">
          <h2>{words.cure}</h2>
          <p>{refusal.cure}</p>
          <p className="soft">
            {words.told} <code translate="no">{refusal.error}</code>
          </p>
        </section>
      </>
    )
  if (who === null) return <Empty title={words.states[state === 'waiting' ? state : 'running']} />
  return (
    <>
      <div className="notice verdict holds" role="status">
        <Icon name="holds" />
        <p>
          <strong>{words.done}</strong> {words.doneHow}
        </p>
      </div>
      <section className="card wide">
        <h2>{words.signedIn}</h2>
        <dl>
          <Fact label={words.at}>
            <Time at={who.auth_time} />
          </Fact>
          <Fact label={words.by}>
            <code translate="no">{[...who.amr, who.acr].join(' ')}</code>
          </Fact>
          <Fact label={words.scope}>
            <span className="badges">
              {scope.split(' ').map((one) => (
                <Badge key={one} tone="plain">
                  {one}
                </Badge>
              ))}
            </span>
          </Fact>
        </dl>
      </section>
      {tokens === null ? <p className="notice warn">{words.changed}</p> : <Claims of={tokens} />}
    </>
  )
}
