import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '../load.ts'
import type { Service } from '../service.ts'
import { leaving, question, signedIn } from './forward-questions.ts'

const sessions = 40
/** That ask about one session all the time. */
const clients = 4
/** Each of them, of an ended session. */
const checksAfter = 8

/** What became of checks by one process of sessions that another one ended. */
export interface Ended {
  sessions: number
  passed: number
  refused: number
  /** Of those that passed, they were asked after the end was acknowledged. */
  late: number
}

/** Ends sessions by one process after another, while the other one is asked about them without pause. */
export async function endedElsewhere(services: readonly [Service, Service]): Promise<Ended> {
  const found: Ended = { sessions, passed: 0, refused: 0, late: 0 }
  for (const [number, { cookie }] of (await signedIn(services[0], sessions)).entries()) {
    const [ending, asked] = number % 2 === 0 ? services : services.toReversed()
    if (ending === undefined || asked === undefined) throw new Error('There are two.')
    const { passed, refused, acknowledged } = await endedBy(ending, asked, cookie)
    const late = passed.filter((sent) => sent >= acknowledged).length
    found.passed += passed.length
    found.refused += refused
    found.late += late
  }
  return found
}

/** When each that passed was sent; and when the end was acknowledged. */
async function endedBy(ending: Service, { port }: Service, cookie: string) {
  const passed: number[] = []
  let [refused, acknowledged] = [0, Number.POSITIVE_INFINITY]
  const asking = Array.from({ length: clients }, async () => {
    const client = await Client.to(port)
    for (let after = 0; after < checksAfter; ) {
      const sent = performance.now()
      const answer = await client.send(question(cookie, '/pages/1'))
      if (answer.startsWith('HTTP/1.1 200')) passed.push(sent)
      else refused++
      if (sent >= acknowledged) after++
    }
    client.close()
  })
  while (passed.length < clients) await wait(1)
  const client = await Client.to(ending.port)
  const answer = await client.send(leaving(cookie))
  acknowledged = performance.now()
  client.close()
  await Promise.all(asking)
  if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`A session can't be ended: ${answer.slice(0, 300)}`)
  return { passed, refused, acknowledged }
}
