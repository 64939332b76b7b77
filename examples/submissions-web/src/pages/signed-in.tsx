/** What a signed-in person sees. */
import type { CallResult } from '../call-api.ts'
import type { UserInfo } from '../home.ts'
import type { SignedIn } from '../tokens.ts'
import { Api, Result } from './api.tsx'
import { Code, Fields, page, Post, Section } from './layout.tsx'
import { Moment, span } from './times.tsx'
import { Tokens } from './tokens.tsx'

interface View {
  readonly csrf: string
  readonly signedIn: SignedIn
  readonly lastResult: CallResult | undefined
  readonly userInfo: UserInfo
  readonly apiUrl: string
  readonly now: number
}

export function signedInPage(view: View): string {
  const { csrf, signedIn, lastResult, now } = view
  const { name, email, sub } = signedIn.claims
  const person = String(name ?? email ?? sub)
  return page(
    person,
    <>
      <h1>Signed in as {person}</h1>
      {lastResult && <Result result={lastResult} now={now} />}
      <div class="columns">
        <Person signedIn={signedIn} />
        <AccessContext signedIn={signedIn} />
      </div>
      <Lifetime csrf={csrf} signedIn={signedIn} now={now} />
      <Api csrf={csrf} signedIn={signedIn} apiUrl={view.apiUrl} />
      <SwitchProfile csrf={csrf} />
      <UserInfoAnswer userInfo={view.userInfo} />
      <Tokens signedIn={signedIn} now={now} />
    </>,
    <Post action="/sign-out" csrf={csrf} label="Sign out" quiet />,
  )
}

function Person({ signedIn: { claims } }: { readonly signedIn: SignedIn }) {
  return (
    <Section id="person" title="Who you are">
      <Fields
        rows={[
          ['Name', text(claims['name'])],
          ['E-mail', text(claims['email'])],
          ['Subject (sub)', <code>{claims.sub}</code>],
        ]}
      />
    </Section>
  )
}

/** From the validated ID token. The organisation and the unit are there only when the profile has one. */
function AccessContext({ signedIn: { claims } }: { readonly signedIn: SignedIn }) {
  return (
    <Section id="context" title="Active access context">
      <Fields
        rows={[
          ['Profile', <code>{text(claims['profile_uuid'])}</code>],
          ['Role', <code>{text(claims['role_code'])}</code>],
          ['Organisation', <code>{text(claims['organisation_uuid'])}</code>],
          ['Organisation unit', <code>{text(claims['organisation_unit_uuid'])}</code>],
        ]}
      />
    </Section>
  )
}

function text(claim: unknown): string {
  return typeof claim === 'string' ? claim : 'none'
}

interface LifetimeProps {
  readonly csrf: string
  readonly signedIn: SignedIn
  readonly now: number
}

function Lifetime({ csrf, signedIn: { accessTokenExpiresAt: end }, now }: LifetimeProps) {
  const left = Math.max(0, Math.floor((end - now) / 1000))
  return (
    <Section id="lifetime" title="Access token lifetime">
      <p>
        {left > 0 ? (
          <>
            It is valid for another <strong>{span(left)}</strong>: it expires <Moment at={end} now={now} />.
          </>
        ) : (
          <>
            It has <strong>expired</strong>: <Moment at={end} now={now} />. The API answers 401 until you
            refresh.
          </>
        )}
      </p>
      <Post action="/refresh" csrf={csrf} label="Refresh" />
    </Section>
  )
}

function SwitchProfile({ csrf }: { readonly csrf: string }) {
  return (
    <Section id="switch" title="Work under another profile">
      <p class="actions">
        <a class="button" href="/sign-in">
          Choose another profile
        </a>
        <a class="button quiet" href="/sign-in?somebody_else">
          Sign in as somebody else
        </a>
      </p>
      <p class="hint">
        Both are new authorization requests: Tessera asks whoever holds several profiles which one it shall
        be, and with <code>prompt=select_account</code> it asks who you are. When the profile’s identifier is
        known, a refresh switches to it without leaving this page:
      </p>
      <Post action="/switch-profile" csrf={csrf} label="Switch profile">
        <label for="profile_uuid">Profile identifier (profile_uuid)</label>
        <input
          id="profile_uuid"
          name="profile_uuid"
          required
          autocomplete="off"
          spellcheck={false}
          minlength={36}
          maxlength={36}
        />
      </Post>
    </Section>
  )
}

function UserInfoAnswer({ userInfo: { answer, problem } }: { readonly userInfo: UserInfo }) {
  return (
    <Section id="userinfo" title="Userinfo answer">
      {answer && <Code>{JSON.stringify(answer, null, 2)}</Code>}
      {problem && (
        <p>
          <strong>{problem.parts.title}.</strong> {problem.parts.code && <code>{problem.parts.code}</code>}{' '}
          {problem.parts.detail} Refresh to learn whether the sign-in is still alive.
        </p>
      )}
    </Section>
  )
}
