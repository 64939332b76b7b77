import { useState } from 'react'
import { api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirmation, Opening } from '../shared/dialog.tsx'
import { Check } from '../shared/form.tsx'

export function Rotate() {
  const { key: words } = useWords()
  return (
    <Opening label={words.rotate} title={words.rotateTitle}>
      {(close) => <Rotation close={close} />}
    </Opening>
  )
}

/** A rotation in its turn, or at once for an emergency. */
function Rotation({ close }: { close: () => void }) {
  const { key: words } = useWords()
  const [now, setNow] = useState(false)
  return (
    <Confirmation
      danger={now}
      label={now ? words.rotateNow : words.rotate}
      what={['keys', now]}
      close={close}
      done={close}
      ask={({ query }) => api.POST('/admin/v1/keys', { params: { query }, body: now ? { now } : {} })}
    >
      <p>{words.rotateWhat}</p>
      <Check label={words.atOnce} description={words.atOnceHow} checked={now} onChange={setNow} />
    </Confirmation>
  )
}
