/** The calls to the protected service, and what came of the last one. */
import { API_CALLS, type ApiCall, type CallResult } from '../call-api.ts'
import { decodeForDisplay, type SignedIn } from '../tokens.ts'
import { Code, Fields, Post, Section } from './layout.tsx'
import { Moment } from './times.tsx'

interface ApiProps {
  readonly csrf: string
  readonly signedIn: SignedIn
  readonly apiUrl: string
}

export function Api({ csrf, signedIn, apiUrl }: ApiProps) {
  // Only to say beforehand what to expect: the decision is the API's, which verifies the token.
  const held = decodeForDisplay(signedIn.accessToken)?.payload['permissions']
  const permissions = Array.isArray(held) ? held : []
  return (
    <Section id="api" title="Call the protected API">
      <p class="hint">
        At <code>{apiUrl}</code>, with your access token. It decides by permission: sign in under another
        profile to see the other answer.
      </p>
      <ul class="calls">
        {Object.entries(API_CALLS).map(([name, call]) => (
          <li id={`call-${name}`}>
            <Post action={`/call/${name}`} csrf={csrf} label={call.title} />
            <p>
              <code>
                {call.method} {call.path}
              </code>
              <br />
              {expectation(call, permissions)}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function expectation({ permission, sendToken, proof }: ApiCall, permissions: readonly unknown[]): string {
  if (!sendToken) return 'Sends no Authorization header: expect 401.'
  return permissions.includes(permission)
    ? `Your token holds ${permission}: expect success${proof === undefined ? '' : `, or 401 without ${proof}`}.`
    : `Your token lacks ${permission}: expect 403.`
}

interface ResultProps {
  readonly csrf: string
  readonly result: CallResult
  readonly now: number
}

/** `role="status"` lets a screen reader announce it when the page comes back. */
export function Result({ csrf, result, now }: ResultProps) {
  return (
    <section class={`card result ${tone(result)}`} aria-labelledby="result" role="status">
      <h2 id="result">{headline(result)}</h2>
      <p class="hint">
        <Moment at={result.at} now={now} />
      </p>
      {result.kind === 'failed' && (
        <p>
          {result.code && <code>{result.code}</code>} {result.detail}
        </p>
      )}
      {result.kind === 'answer' && (
        <>
          {result.stepUp && <Post action="/step-up" csrf={csrf} label="Prove it is you" />}
          <Fields
            rows={[
              ['Request', <code>{result.request}</code>],
              ...result.headers.map(([name, value]) => [name, <code>{value}</code>] as const),
            ]}
          />
          <h3>Body</h3>
          <Code>{result.body === '' ? '(empty)' : result.body}</Code>
        </>
      )}
    </section>
  )
}

function headline(result: CallResult): string {
  if (result.kind === 'done') return `${result.title}: done`
  if (result.kind === 'failed') return `${result.title}: ${result.problem}`
  return `${result.title}: ${result.status} ${result.statusText}`
}

function tone(result: CallResult): 'good' | 'bad' {
  if (result.kind === 'answer') return result.status < 400 ? 'good' : 'bad'
  return result.kind === 'done' ? 'good' : 'bad'
}
