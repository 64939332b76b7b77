/** A bare server of Node's: whatever it is asked, the same headers go out. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const headers = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>
const server = createServer((_, response) => response.writeHead(200, headers).end())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
