import { Button } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { hasEnded, signIn, whenEnded } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'

/** Over what is open, which stays as it is; in a dialog too, which covers the page. */
export function Ended() {
  const words = useWords()
  const ended = useSyncExternalStore(whenEnded, hasEnded)
  if (ended === undefined) return null
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
        <Button size="xs" component="a" href="/console/signed-in" target="_blank" rel="noreferrer">
          {words.signInAgain}
        </Button>
      )}
    </div>
  )
}
