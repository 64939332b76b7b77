import { useEffect, useState } from 'react'

/** A file that one view made and another works on: in memory alone, as it may hold hashes, and for one view once. */
export interface HandedFile {
  name: string
  text: string
}

/** The view that takes it: of declared files, or of imports. */
type Taker = 'declared' | 'import'

const waiting = new Map<Taker, HandedFile>()

/** Hands it over; the view that is shown next takes it. */
export function handFile(to: Taker, file: HandedFile): void {
  waiting.set(to, file)
}

/** What was handed to this view, from its first rendering on. */
export function useHandedFile(to: Taker): HandedFile | undefined {
  const [file] = useState(() => waiting.get(to))
  useEffect(() => {
    waiting.delete(to)
  }, [to])
  return file
}
