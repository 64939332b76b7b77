import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useWords } from '../messages/messages.tsx'

/** The entries of a list that are shown at first: a plan may have thousands. */
const first = 50

export function Many<T>({
  of,
  id,
  children,
}: {
  of: readonly T[]
  id: (one: T) => string
  children: (one: T) => ReactNode
}) {
  const { file: words } = useWords()
  const [all, setAll] = useState(false)
  return (
    <>
      <ul className="many">
        {(all ? of : of.slice(0, first)).map((one) => (
          <li key={id(one)}>{children(one)}</li>
        ))}
      </ul>
      {!all && of.length > first && (
        <Button variant="default" onClick={() => setAll(true)}>
          {words.showAll(of.length)}
        </Button>
      )}
    </>
  )
}

/** A part of the plan; nothing where it has no entries. */
export function Part<T>({
  title,
  how,
  tone,
  ...list
}: { title: string; how?: string; tone?: 'bad' | 'warn' } & Parameters<typeof Many<T>>[0]) {
  if (list.of.length === 0) return null
  return (
    <section className={tone ? `card ${tone}` : 'card'}>
      <h3>{title}</h3>
      {how && <p className="soft">{how}</p>}
      <Many {...list} />
    </section>
  )
}
