import { Button } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useWords } from '../messages/messages.tsx'

let isAny = false
let isMissing = false
const listeners = new Set<() => void>()
const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * A file of the console. One of the version before is gone once another one runs: what is open then stays, with what was
 * typed, until somebody loads the page anew. A page that shows nothing yet throws.
 */
export async function loaded<T>(file: Promise<T>): Promise<T> {
  try {
    const content = await file
    isAny = true
    return content
  } catch (error) {
    if (!isAny) throw error
    isMissing = true
    for (const listener of listeners) listener()
    return await new Promise<never>(() => {})
  }
}

export function NewVersion() {
  const { newVersion: words } = useWords()
  if (!useSyncExternalStore(listen, () => isMissing)) return null
  return (
    <div className="notice warn ended" role="alert">
      <strong>{words.title}</strong>
      <p>{words.how}</p>
      <Button size="xs" onClick={() => location.reload()}>
        {words.button}
      </Button>
    </div>
  )
}
