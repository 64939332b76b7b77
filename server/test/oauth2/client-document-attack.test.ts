import { afterAll, beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { DocumentServer } from '../harness/document-server.ts'
import { asked, newAddress, permission, registration } from './client-document-support.ts'

onOneDatabase('where a document may be fetched from', (dialect) => {
  const tessera = administeredOn(dialect)
  let host: DocumentServer
  let admin: Administrator
  beforeAll(async () => {
    host = await DocumentServer.start()
    admin = await Administrator.machine(tessera.url)
  })
  afterAll(async () => await host.close())

  it.each([
    () => newAddress(host),
    () => newAddress(host).replace('localhost', '127.0.0.1'),
    () => 'https://169.254.169.254/latest/meta-data',
    () => 'https://10.0.0.1/client.json',
    () => 'https://unknown.invalid/client.json',
  ])('is no private address', async (address) => {
    const answer = await admin.post('/clients', registration(address()))
    const { host: where } = new URL(address())
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(
      `could not be fetched from ${where}: no public address, no trusted certificate, or no answer within 3 s`,
    )
    expect(host.asked).toBe(0)
  })

  it('is no private address at a sign-in either, and an answer says nothing of what is there', async () => {
    const document = (client_id: string) => ({ client_id, redirect_uris: ['http://localhost/callback'] })
    const client_id = newAddress(host)
    await admin.post('/clients', registration(client_id, { document: document(client_id) }))
    const path = `/clients/${encodeURIComponent(client_id)}`
    expect((await admin.patch(path, { document: null })).status).toBe(400)
    const { etag: match } = await admin.get(path)
    const tried = await admin.ask('PATCH', `${path}?dry_run=true`, { body: { document: null }, match })
    expect([tried.status, host.asked]).toEqual([200, 0])
    const page = await new TestBrowser(tessera.url).request(asked(client_id).path)
    expect(page.status).toBe(303)
  })

  it.each(Object.values(ways))('is registered by the command, with the document along', async (way) => {
    const client_id = newAddress(host)
    const document = JSON.stringify({ client_id, redirect_uris: ['http://localhost/callback'] })
    const made = ['client', 'create', client_id, '--type', 'public', '--metadata', 'document']
    const gives = [
      '--scope',
      'openid service.api',
      '--service',
      'submissions-tool',
      '--permission',
      permission,
    ]
    const here = { environment: way(tessera) }
    const ran = await runHere([...made, ...gives, '--document', document, '--json'], here)
    expect(ran.stderr).toBe('')
    expect(JSON.parse(ran.stdout)).toMatchObject({
      client_id,
      metadata: 'document',
      client_name: new URL(client_id).host,
    })
    const refused = await runHere([...made.with(2, `${client_id}?a`), ...gives, '--document', document], here)
    expect(refused.stderr).toContain('query or a fragment')
  })

  it('asks a trial and a preview for no document', async () => {
    const client_id = newAddress(host)
    const document = { client_id, redirect_uris: ['http://localhost/callback'] }
    await admin.post('/clients', registration(client_id, { document }))
    const shown = await admin.get(`/clients/${encodeURIComponent(client_id)}`)
    expect(shown.json).toMatchObject({ token_endpoint_auth_method: 'none', document_read: null })
    expect(host.asked).toBe(0)
  })
})
