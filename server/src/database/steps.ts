/** Verbs are made of prepared queries, turn by turn. */
import type { Steps, Turn } from './prepared.ts'

type Results<All extends readonly Steps<unknown>[]> = {
  [Index in keyof All]: All[Index] extends Steps<infer Result> ? Result : never
}

/** Runs parts of a verb beside each other: PostgreSQL is asked what they ask in one message. */
export function* together<All extends readonly Steps<unknown>[]>(...all: All): Steps<Results<All>> {
  return yield* sideBySide(all, false)
}

/** Runs parts beside each other as the last turn of a verb: each part asks once at the most. */
export function* lastly<All extends readonly Steps<unknown>[]>(...all: All): Steps<Results<All>> {
  return yield* sideBySide(all, true)
}

function* sideBySide<All extends readonly Steps<unknown>[]>(all: All, isLast: boolean): Steps<Results<All>> {
  const parts = all.map((steps) => ({ steps, next: steps.next() }))
  for (;;) {
    const asking = parts.flatMap(({ steps, next }, index) =>
      next.done === true ? [] : [{ steps, index, asked: next.value.asked }],
    )
    if (asking.length === 0) break
    const answers = yield { asked: asking.flatMap(({ asked }) => asked), isLast }
    let from = 0
    for (const { steps, index, asked } of asking) {
      const part = parts[index]
      if (part !== undefined) part.next = steps.next(answers.slice(from, (from += asked.length)))
    }
  }
  return parts.map(({ next }) => next.value) as Results<All>
}

/** Runs a verb turn by turn, where each takes a promise. */
export async function runSteps<Result>(
  steps: Steps<Result>,
  answered: (turn: Turn) => Promise<readonly unknown[]>,
): Promise<Result> {
  let next = steps.next()
  while (next.done !== true) next = steps.next(await answered(next.value))
  return next.value
}
