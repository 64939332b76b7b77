import { useState } from 'react'
import type { MovedIn, SentExport } from '../api/client.ts'
import type { HandedFile } from '../shared/handed-file.ts'

export type System = SentExport['source']

/** What was dropped and typed. */
interface Given {
  source: System
  files: readonly HandedFile[]
  prefix: string
  rpId: string
  /** The text of mapping.yaml; empty: there is none yet. */
  mapping: string
}

export interface Draft extends Given {
  /** What was read last, with the mapping that came of it. */
  read?: { of: Given; moved: MovedIn } | undefined
}

const begin: Draft = { source: 'keycloak', files: [], prefix: '', rpId: '', mapping: '' }

/** The draft stays in memory alone, for it holds hashes; there still when somebody comes back from the plan to the next step. */
let kept = begin

export function useDraft() {
  const [draft, setDraft] = useState(kept)
  const show = (next: Draft) => {
    kept = next
    setDraft(next)
  }
  return {
    draft,
    change: (change: Partial<Given>) => show({ ...kept, ...change }),
    forget: () => show(begin),
    /** What came of a draft. What was typed or forgotten meanwhile stays so. */
    came: (of: Given, moved: MovedIn) => {
      if (kept.files.length === 0) return
      const { mapping } = moved
      show({
        ...kept,
        ...(kept.mapping === of.mapping && { mapping }),
        read: { of: { ...of, mapping }, moved },
      })
    },
  }
}

/** Whether something was changed since it was read. */
export const isStale = ({ read, ...now }: Draft): boolean =>
  read !== undefined && (Object.keys(begin) as (keyof Given)[]).some((name) => read.of[name] !== now[name])

export const sentOf = ({ source, files, prefix, rpId, mapping }: Given): SentExport => ({
  source,
  files: [...files],
  ...(prefix !== '' && { prefix }),
  ...(rpId !== '' && { rp_id: rpId }),
  ...(mapping !== '' && { mapping }),
})
