/** What a service that `tessera compare` asks can do to the machine of the operator. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { readIssuer } from '../../dist/cli/compare/other-issuer.js'

it('reads an answer in a time that grows with its size', async () => {
  const seconds = async (body: string) => {
    const server = createServer((_request, answer) => answer.end(body)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const began = process.cpuUsage()
    const asked = readIssuer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await expect(asked).rejects.toThrow('no discovery document')
    server.close()
    return process.cpuUsage(began).user / 1_000_000
  }
  // At most 512 KiB are read, which is 13 times as much.
  expect(await seconds('\\"'.repeat(20_000))).toBeLessThan(0.5)
}, 60_000)
