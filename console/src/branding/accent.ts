import { useDebouncedValue } from '@mantine/hooks'
import { skipToken, useQuery } from '@tanstack/react-query'
import { issuer } from '../api/client.ts'
import { isColour } from './contrast.ts'

/** The colours that the service makes of an accent, by the names that its pages have for them. */
export interface Accent {
  day: Record<string, string>
  night: Record<string, string>
}

/** Read from the style sheet that the pages load. Null: the colour can't be read on them. */
export function useAccent(accent: string | null): Accent | null | undefined {
  const [asked] = useDebouncedValue(accent, 200)
  const { data } = useQuery({
    queryKey: ['accent', asked],
    staleTime: Infinity,
    retry: false,
    placeholderData: (before) => before,
    queryFn: isColour(asked) ? () => sheetOf(asked) : skipToken,
  })
  return isColour(accent) ? data : undefined
}

async function sheetOf(accent: string): Promise<Accent | null> {
  const answer = await fetch(`${issuer}/assets/accent/${accent.slice(1).toLowerCase()}.css`)
  if (!answer.ok) return null
  const [day = '', night = ''] = (await answer.text()).split('@media')
  return { day: coloursIn(day), night: coloursIn(night) }
}

const coloursIn = (rules: string) =>
  Object.fromEntries(
    [...rules.matchAll(/(--accent[a-z-]*):(#[0-9a-f]{6})/g)].map(([, name = '', colour = '']) => [
      name,
      colour,
    ]),
  )
