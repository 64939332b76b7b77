/** A process of its own that sends these requests in turn at a fixed rate, whatever the service does: open loop. */
import { setPriority } from 'node:os'
import { Client } from '../load.ts'

/** Milliseconds. */
export interface OpenLoop {
  p50: number
  p99: number
  longest: number
  /** How much later than due the client itself sent, at p99: not the service's doing, and not in the others. */
  late: number
}

/** So many that one is always free, unless the service stands still for long. */
const sockets = 256

const [, , port = '0', perSecond = '0', seconds = '0', sent = '[]'] = process.argv
const requests = JSON.parse(sent) as string[]

try {
  // Real clients are elsewhere: this one must not wait for a core that the service has.
  setPriority(-10)
} catch {
  // Not allowed everywhere; it is told how late it was.
}
process.send?.(await run(Number(port), Number(perSecond), Number(seconds)))

async function run(to: number, rate: number, duration: number): Promise<OpenLoop> {
  const free = await Promise.all(Array.from({ length: sockets }, () => Client.to(to)))
  const all = [...free]
  const total = Math.round(rate * duration)
  const [times, late] = [new Float64Array(total), new Float64Array(total)]
  const began = performance.now()
  const dueAt = (index: number) => began + (index * 1000) / rate
  let [next, left] = [0, total]
  await new Promise<void>((resolve, reject) => {
    /** The time of one that finds no free connection counts from when it was due: that is the service's doing. */
    const send = (client: Client, index: number, from?: number) => {
      const sent = performance.now()
      if (from === undefined) late[index] = sent - dueAt(index)
      const answered = (answer: string) => {
        times[index] = performance.now() - (from ?? sent)
        if (!answer.startsWith('HTTP/1.1 200'))
          return reject(new Error(`A wrong answer: ${answer.slice(0, 300)}`))
        if (--left === 0) return resolve()
        const due = waiting.shift()
        if (due === undefined) free.push(client)
        else send(client, due, dueAt(due))
      }
      client.ask(requests[index % requests.length] ?? '', answered, reject)
    }
    const waiting: number[] = []
    const tick = () => {
      for (; next < total && dueAt(next) <= performance.now(); next++) {
        const client = free.pop()
        if (client === undefined) waiting.push(next)
        else send(client, next)
      }
      if (next < total) setTimeout(tick, 1)
    }
    tick()
  })
  for (const client of all) client.close()
  const at = (values: Float64Array, part: number) =>
    values.toSorted()[Math.min(total - 1, Math.floor(total * part))] ?? 0
  return { p50: at(times, 0.5), p99: at(times, 0.99), longest: at(times, 1), late: at(late, 0.99) }
}
