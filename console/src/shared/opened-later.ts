import { useEffect, useState } from 'react'

/**
 * Whether something is open, but not at its first rendering: a dialog that is loaded when it is first opened would not know
 * what had the focus before, and give it back to nothing.
 */
export function useOpenedLater(opened: boolean): boolean {
  const [isThere, setIsThere] = useState(false)
  useEffect(() => setIsThere(true), [])
  return opened && isThere
}
