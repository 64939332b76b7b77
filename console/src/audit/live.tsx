import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { followAudit } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { type AuditFilter, filterOf, showNewer } from './pages.ts'

function whenVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

/**
 * Follows what happens while one is at the top of the list; below, it says that there is more and lets the rows stand.
 * It pauses when the token ends, so that a sign-in that idles ends too, and asks nothing while the tab is hidden.
 */
export function Live({ asked }: { asked: AuditFilter }) {
  const { records: audit } = useWords()
  const queries = useQueryClient()
  const [on, setOn] = useState(true)
  const [waiting, setWaiting] = useState(false)
  const visible = useSyncExternalStore(whenVisibility, () => !document.hidden)
  const show = useCallback(() => {
    setWaiting(false)
    void showNewer(queries, asked).catch(() => setOn(false))
  }, [queries, asked])
  useEffect(() => {
    if (!on || !visible) return
    const stop = new AbortController()
    const heard = () => (window.scrollY < 80 ? show() : setWaiting(true))
    followAudit(filterOf(asked), stop.signal, heard)
      .catch(() => undefined)
      .finally(() => {
        if (!stop.signal.aborted) setOn(false)
      })
    return () => stop.abort()
  }, [on, visible, asked, show])
  return (
    <div className="live">
      {waiting && (
        <Button
          onClick={() => {
            scrollTo({ top: 0 })
            show()
          }}
        >
          {audit.newer}
        </Button>
      )}
      <span className={on ? 'pulse' : 'soft'} role="status">
        {on ? audit.live : audit.paused}
      </span>
      <Button variant="default" onClick={() => setOn(!on)}>
        {on ? audit.pause : audit.follow}
      </Button>
    </div>
  )
}
