/** The answers that visitors get while something is replaced below them. */
import { setTimeout } from 'node:timers/promises'

/** The status of an answer; 0 without one. */
export async function statusOf(address: string): Promise<number> {
  return await fetch(address, { signal: AbortSignal.timeout(10_000) }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    },
    () => 0,
  )
}

/** Asks an address again and again while something changes, and returns how often. It throws if one answer was not 200. */
export async function askedWhile(address: string, change: () => Promise<void>): Promise<number> {
  let asked = 0
  const failed: number[] = []
  let isOver = false
  const asking = (async () => {
    for (; !isOver; asked += 1) {
      const answer = await statusOf(address)
      if (answer !== 200) failed.push(answer)
      await setTimeout(20)
    }
  })()
  try {
    await change()
  } finally {
    isOver = true
    await asking
  }
  if (failed.length > 0) throw new Error(`${failed.length} of ${asked} requests failed: ${failed.join()}`)
  return asked
}
