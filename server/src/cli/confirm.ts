import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'

/** Asks whoever sits at the terminal; anything but yes, also the end of the input, is no. */
export async function confirmed(
  question: string,
  { input, output }: { input: Readable; output: Writable },
): Promise<boolean> {
  const asking = createInterface({ input, output })
  const ended = new Promise<string>((resolve) => asking.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([asking.question(`${question} [y/N] `), ended])
    return /^\s*y(es)?\s*$/i.test(answer)
  } finally {
    asking.close()
  }
}
