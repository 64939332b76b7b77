import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { plainPasswords } from '../../dist/identity/plain-passwords.js'
import type { Tessera } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'

/** An application on this machine, which shows that somebody has arrived. */
export function applicationHere() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<h1>Arrived</h1>')
  })
  const application = {
    url: '',
    /** As the client `application`. */
    async register(tessera: Tessera): Promise<void> {
      const client = `clients:
  - client_id: application
    client_name: An application
    type: public
    first_party: true
    redirect_uris: ["${application.url}"]
    client_uri: "${application.url}"
    scope: openid
`
      const declared = parseDeclared(client, { file: 'application.yaml', mode: 'development' })
      await withStore(tessera, (store) =>
        applyDeclared(store, declared, { now: tessera.clock.now(), ...plainPasswords }),
      )
    },
  }
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    application.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return application
}
