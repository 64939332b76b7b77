/**
 * Loaded into the service before it starts (`node --import`): every request fails by an error that quotes all that
 * was sent, as errors of drivers and parsers do, in its message, its causes and fields of its own. Before that
 * somebody logs what nobody should.
 */
import { subscribe } from 'node:diagnostics_channel'

subscribe('fastify.initialization', ({ fastify }) => {
  fastify.addHook('preHandler', async (request) => {
    const { url, rawHeaders, headers } = request.raw
    const form = String(request.body)
    const values = Object.fromEntries(new URLSearchParams(`${url?.split('?')[1] ?? ''}&${form}`))
    const { authorization, cookie } = headers
    const secrets = { authorization, cookie, password: values.password, client_secret: values.client_secret }
    request.log.info(
      { ...secrets, code: values.code, token: values.token, state: values.state },
      'by mistake',
    )
    request.log.info(
      { headers: secrets, body: secrets, client: secrets, res: { headers: secrets } },
      'by mistake',
    )

    const given = { url, form, values, rawHeaders, cookie, authorization }
    const cause = Object.assign(
      new Error(`Failing row contains (${Object.values(values).join(', ')})`),
      given,
    )
    throw Object.assign(new Error(`could not take ${JSON.stringify(given)} from ${url} ${form}`, { cause }), {
      ...given,
      code: '23505',
      detail: `Key (secret)=(${form}) already exists.`,
      nested: { password: form, deeper: { parameters: [form, cookie], error: cause } },
      errors: [cause],
    })
  })
})
