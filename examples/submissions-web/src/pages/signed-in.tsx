/** What a signed-in person sees. */
import type { CallResult } from '../call-api.ts'
import type { UserInfo } from '../home.ts'
import { inWords, type Names, named, profileOf } from '../profiles.ts'
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
  readonly names: Names
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
      {lastResult && <Result csrf={csrf} result={lastResult} now={now} />}
      <div class="columns">
        <Person signedIn={signedIn} />
        <AccessContext signedIn={signedIn} names={view.names} />
      </div>
      <Lifetime csrf={csrf} signedIn={signedIn} now={now} />
      <Api csrf={csrf} signedIn={signedIn} apiUrl={view.apiUrl} />
      <SwitchProfile csrf={csrf} signedIn={signedIn} names={view.names} />
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
        ]}
      />
      <details>
        <summary>As tokens name you</summary>
        <Fields rows={[['Subject (sub)', <code>{claims.sub}</code>]]} />
      </details>
    </Section>
  )
}

interface ProfileProps {
  readonly signedIn: SignedIn
  readonly names: Names
}

function AccessContext({ signedIn: { claims }, names }: ProfileProps) {
  const { uuid, role, organisation, unit } = profileOf(claims)
  const name = (id: string | undefined) => (id === undefined ? 'none' : named(names, id))
  const id = (value: string | undefined) => <code>{value ?? 'none'}</code>
  return (
    <Section id="context" title="Active access context">
      <Fields
        rows={[
          ['Role', name(role)],
          ['Organisation', name(organisation)],
          ['Organisation unit', name(unit)],
        ]}
      />
      <details>
        <summary>As tokens name it</summary>
        <Fields
          rows={[
            ['profile_uuid', id(uuid)],
            ['role_code', id(role)],
            ['organisation_uuid', id(organisation)],
            ['organisation_unit_uuid', id(unit)],
          ]}
        />
      </details>
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

function SwitchProfile({ csrf, signedIn, names }: ProfileProps & { readonly csrf: string }) {
  const { profiles = [], claims } = signedIn
  const others = profiles.filter(({ uuid }) => uuid !== claims['profile_uuid']).reverse()
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
        be, and with <code>prompt=select_account</code> it asks who you are. Between profiles that you have
        used since you signed in, a refresh with <code>profile_uuid</code> switches without leaving this page.
      </p>
      {others.length > 0 && (
        <Post action="/switch-profile" csrf={csrf} label="Switch profile">
          <label for="profile_uuid">A profile that you have used</label>
          <select id="profile_uuid" name="profile_uuid">
            {others.map((profile) => (
              <option value={profile.uuid}>{inWords(names, profile)}</option>
            ))}
          </select>
        </Post>
      )}
    </Section>
  )
}

function UserInfoAnswer({ userInfo: { answer, problem } }: { readonly userInfo: UserInfo }) {
  return (
    <Section id="userinfo" title="Userinfo answer">
      {answer && (
        <details>
          <summary>What Tessera says about you now</summary>
          <Code>{JSON.stringify(answer, null, 2)}</Code>
        </details>
      )}
      {problem && (
        <p>
          <strong>{problem.parts.title}.</strong> {problem.parts.code && <code>{problem.parts.code}</code>}{' '}
          {problem.parts.detail} Refresh to learn whether the sign-in is still alive.
        </p>
      )}
    </Section>
  )
}
