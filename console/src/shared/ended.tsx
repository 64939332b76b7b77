import { Button } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import {
  cancelConfirming,
  confirmingAddress,
  hasEnded,
  isConfirming,
  signIn,
  whenEnded,
} from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { path } from '../api/client.ts'

/** What covers the page now: dialogs, one over another. */
const covers: symbol[] = []
const listeners = new Set<() => void>()

function whenCovered(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The notice over the page, which stays as it is; a dialog over it has its own. */
export function Ended() {
  const isCovered = useSyncExternalStore(whenCovered, () => covers.length > 0)
  return isCovered ? null : <Notice />
}

/** The notice in what covers the page: in the uppermost alone. */
export function EndedOver() {
  const [own] = useState(() => Symbol('cover'))
  useEffect(() => {
    const tell = () => listeners.forEach((one) => one())
    covers.push(own)
    tell()
    return () => {
      covers.splice(covers.indexOf(own), 1)
      tell()
    }
  }, [own])
  const isUppermost = useSyncExternalStore(whenCovered, () => covers.at(-1) === own)
  return isUppermost ? <Notice /> : null
}

function Notice() {
  const words = useWords()
  const ended = useSyncExternalStore(whenEnded, hasEnded)
  const maxAge = useSyncExternalStore(whenEnded, isConfirming)
  if (ended === undefined) return maxAge === undefined ? null : <Confirming maxAge={maxAge} />
  const ofProfile = ended === 'profile'
  return (
    <div className="notice warn ended" role="alert">
      <strong>{ofProfile ? words.profileEnded : words.ended}</strong>
      <p>{ofProfile ? words.profileEndedHow : words.endedHow}</p>
      {ofProfile ? (
        <Button size="xs" onClick={() => void signIn()}>
          {words.signInAgain}
        </Button>
      ) : (
        <SignInElsewhere href={`${path}/console/signed-in`}>{words.signInAgain}</SignInElsewhere>
      )}
    </div>
  )
}

/** A change waits for a recent sign-in (RFC 9470). */
function Confirming({ maxAge }: { maxAge: string }) {
  const { confirm } = useWords()
  return (
    <div className="notice warn ended" role="alert">
      <strong>{confirm.title}</strong>
      <p>{confirm.how(Number(maxAge) / 60)}</p>
      <div className="choices">
        <SignInElsewhere href={confirmingAddress}>{confirm.button}</SignInElsewhere>
        <Button size="xs" variant="default" onClick={cancelConfirming}>
          {confirm.cancel}
        </Button>
      </div>
    </div>
  )
}

function SignInElsewhere({ href, children }: { href: string; children: string }) {
  return (
    <Button size="xs" component="a" href={href} target="_blank" rel="noreferrer">
      {children}
    </Button>
  )
}

/** The notice in a dialog, whose end cancels what it asked for. */
export function EndedInDialog() {
  useEffect(() => cancelConfirming, [])
  return <EndedOver />
}
