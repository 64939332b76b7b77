import type { ChildProcess } from 'node:child_process'
import { cpuBetween, readCpu } from '../cpu.ts'
import { Client, load } from '../load.ts'
import { newFolder, remove, startService } from '../service.ts'
import { end, startScript, told } from './child.ts'
import { machineToken } from './machine-token.ts'
import { median } from './outcome.ts'
import { freePort } from '../../server/test/harness/process.ts'

const requests = Array<string>(10_000).fill(machineToken)

export interface Floor {
  server: string
  /** µs per request. */
  cpu: number
  clientCpu: number
  perSecond: number
}

/** Bare servers that answer, with the very bytes that the service answered, the form that it answered. */
export async function measureFloors(names: readonly string[] = ['node:http', 'fastify']): Promise<Floor[]> {
  const { headers, body } = await answerOfService()
  const servers = names.map((name) => startScript('floor-server.ts', [name, JSON.stringify(headers), body]))
  try {
    const ports = await Promise.all(servers.map((server) => told<number>(server)))
    const runs: Floor[][] = names.map(() => [])
    for (let round = 0; round <= 3; round++) {
      for (const [index, server] of servers.entries()) {
        const run = await measureFloor(names[index] ?? '', server, ports[index] ?? 0)
        if (round > 0) runs[index]?.push(run)
      }
    }
    return runs.map((rounds, index) => ({
      server: names[index] ?? '',
      cpu: median(rounds.map(({ cpu }) => cpu)),
      clientCpu: median(rounds.map(({ clientCpu }) => clientCpu)),
      perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    }))
  } finally {
    await Promise.all(servers.map(end))
  }
}

async function measureFloor(name: string, server: ChildProcess, port: number): Promise<Floor> {
  const pid = server.pid ?? 0
  const before = readCpu([pid])
  const run = await load(port, requests, 16, 200)
  return {
    server: name,
    cpu: cpuBetween(before, readCpu([pid])) / run.requests,
    clientCpu: run.clientCpu / run.requests,
    perSecond: run.requests / run.seconds,
  }
}

async function answerOfService(): Promise<{ headers: Record<string, string>; body: string }> {
  const service = await startService(await freePort(), newFolder())
  try {
    const client = new Client(service.port)
    const answer = await client.send(machineToken)
    client.close()
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    return { headers: headersOf(head), body }
  } finally {
    await service.stop()
    remove(service.folder)
  }
}

/** But for those that a server of Node's sets by itself. */
export function headersOf(head: string): Record<string, string> {
  const lines = head.trimEnd().split('\r\n').slice(1)
  const headers = lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)])
  const own = headers.filter(([name = '']) => !/^(date|connection|keep-alive)$/i.test(name))
  return Object.fromEntries(own) as Record<string, string>
}
