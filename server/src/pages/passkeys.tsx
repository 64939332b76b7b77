import type { Child } from 'hono/jsx'
import { addressOf, asset } from './asset.ts'

/** The script that asks the browser for passkeys and security keys; a page that has it says so to `sendPage`. */
export const passkeysScript: string = asset('pages/passkeys.js')
export const passkeysScriptPath = addressOf('passkeys', 'js', passkeysScript)

export interface PasskeysProps {
  /** A path of ours that answers with options. */
  from: string
  /** Whether the address field offers passkeys as well. */
  autofill?: boolean
  /** What is said where the browser yields none, or where the authenticator holds one of this person already. */
  failed: string
  taken?: string
  /** What people without JavaScript read instead. */
  needs: string
  /** What the browser should forget: `rpId` and `credentialId`. */
  unknown?: Readonly<Record<string, string>> | undefined
  children: Child
}

/** Buttons that the script shows where the browser knows passkeys. It stands in the form that is sent. */
export function Passkeys({ from, autofill, failed, taken, needs, unknown, children }: PasskeysProps) {
  return (
    <>
      <div
        class="offers"
        hidden
        data-passkeys={from}
        data-autofill={autofill ? '' : undefined}
        data-failed={failed}
        data-taken={taken}
      >
        <p role="alert" hidden />
        {children}
      </div>
      <noscript>
        <p class="hint">{needs}</p>
      </noscript>
      {unknown && <Signal method="signalUnknownCredential" told={unknown} />}
      <script src={passkeysScriptPath} defer />
    </>
  )
}

/** Begins a request for what `options` of our own path are for. */
export function AskButton({
  purpose,
  kind = 'secondary',
  children,
}: {
  purpose: string
  kind?: 'primary' | 'secondary'
  children: Child
}) {
  return (
    <button type="button" class={`button button-${kind}`} data-ask={purpose}>
      {children}
    </button>
  )
}

interface SignalProps {
  /** A method of PublicKeyCredential (WebAuthn Level 3 §5.1.10). */
  method: string
  told: object
}

/** Tells the browser's password manager what counts, where it listens. */
function Signal({ method, told }: SignalProps) {
  return <span hidden data-signal={method} data-told={JSON.stringify(told)} />
}

/** Signals of passkeys on a page that asks for nothing. */
export function Signals({ signals }: { signals: readonly SignalProps[] }) {
  return signals.length === 0 ? null : (
    <>
      {signals.map((one) => (
        <Signal {...one} />
      ))}
      <script src={passkeysScriptPath} defer />
    </>
  )
}
