import { Button } from '@mantine/core'
import { useEffect, useSyncExternalStore } from 'react'
import {
  cancelConfirming,
  confirmingAddress,
  hasEnded,
  isConfirming,
  signIn,
  whenEnded,
} from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'

/** Over what is open, which stays as it is; in a dialog too, which covers the page. */
export function Ended() {
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
        <SignInElsewhere href="/console/signed-in">{words.signInAgain}</SignInElsewhere>
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

/** In a dialog: when that closes, what it asked for is made no more. */
export function EndedInDialog() {
  useEffect(() => cancelConfirming, [])
  return <Ended />
}
