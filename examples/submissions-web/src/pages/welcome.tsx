/** What somebody sees who is not signed in. */
import { page } from './layout.tsx'

interface View {
  readonly issuer: string
  readonly clientId: string
  /** The issuer ended this sign-in, and the last refresh learnt of it. */
  readonly ended: boolean
}

export function welcomePage({ issuer, clientId, ended }: View): string {
  return page(
    'Sign in',
    <div class="card narrow">
      {ended && (
        <p class="notice" role="status">
          <strong>Your sign-in has ended.</strong> The identity provider answered <code>invalid_grant</code>:
          it expired, or was ended there. Please sign in again.
        </p>
      )}
      <h1>Send in your submissions</h1>
      <p>
        Sign in with your organisation’s account. This application never sees your password: you enter it at
        the identity provider, <code>{issuer}</code>, which sends you back here.
      </p>
      <p>
        <a class="button" href="/sign-in">
          Sign in
        </a>
      </p>
      <p class="hint">
        Registered there as <code>{clientId}</code>. On a development machine, the people you can sign in as
        are listed in <code>examples/development.yaml</code>.
      </p>
    </div>,
  )
}
