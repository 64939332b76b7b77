/** The tokens taken apart. */
import { type Claims, decodeForDisplay, type SignedIn, TIME_CLAIMS } from '../tokens.ts'
import { Code, Fields, Section } from './layout.tsx'
import { Moment } from './times.tsx'

interface Props {
  readonly signedIn: SignedIn
  readonly now: number
}

export function Tokens({ signedIn, now }: Props) {
  return (
    <Section id="tokens" title="Tokens">
      <p class="hint">
        Shown so that you can see what Tessera issues. A real application never shows them, and reads nothing
        but the validated ID token: the access token is meant for the API.
      </p>
      <Token name="ID token" jwt={signedIn.idToken} now={now} />
      <Token name="Access token" jwt={signedIn.accessToken} now={now} />
      <p>
        Refresh token:{' '}
        {signedIn.refreshToken === undefined
          ? 'none'
          : 'held by the server, sealed in the session, never shown'}
      </p>
    </Section>
  )
}

function Token({ name, jwt, now }: { readonly name: string; readonly jwt: string; readonly now: number }) {
  const decoded = decodeForDisplay(jwt)
  if (decoded === undefined) return <p>{name}: not a JWT.</p>
  return (
    <details>
      <summary>{name}</summary>
      <h3>{name}: header</h3>
      <Code>{JSON.stringify(decoded.header, null, 2)}</Code>
      <h3>{name}: payload</h3>
      <Code>{JSON.stringify(decoded.payload, null, 2)}</Code>
      <h3>{name}: times</h3>
      <Times payload={decoded.payload} now={now} />
    </details>
  )
}

function Times({ payload, now }: { readonly payload: Claims; readonly now: number }) {
  const rows = Object.entries(TIME_CLAIMS).flatMap(([claim, meaning]) => {
    const seconds = payload[claim]
    const isMoment = typeof seconds === 'number' && Math.abs(seconds) < 8.64e12
    return isMoment ? [[`${claim}: ${meaning}`, <Moment at={seconds * 1000} now={now} />] as const] : []
  })
  return <Fields rows={rows} />
}
