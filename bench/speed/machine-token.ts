import { form } from '../load.ts'

/** A machine of the reference file asks for a token. */
export const machineToken = form('/oauth2/token', {
  grant_type: 'client_credentials',
  client_id: 'nightly-import',
  client_secret: 'nightly-import-development-secret',
})
