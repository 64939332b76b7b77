import { useWords } from '../../messages/messages.tsx'
import { Heading } from '../../shared/text.tsx'

/** The heading of a step, and how many there are. */
export function Title({ number, children }: { number: number; children: string }) {
  const { wizard } = useWords()
  return (
    <>
      <p className="step soft">{wizard.step(number)}</p>
      <Heading>{children}</Heading>
    </>
  )
}
