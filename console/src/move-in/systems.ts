import type { System } from './draft.ts'

/** The systems by the names that they have, and the command that exports, where one says it. */
export const systems: Readonly<Record<System, { name: string; command?: string }>> = {
  keycloak: {
    name: 'Keycloak',
    command: 'bin/kc.sh export --realm NAME --file realm.json --users same_file',
  },
  auth0: { name: 'Auth0', command: 'auth0 apps list --json --reveal-secrets > apps.json' },
  zitadel: { name: 'ZITADEL' },
  logto: {
    name: 'Logto',
    command: 'psql "$LOGTO_DB_URL" -Atc "select row_to_json(t) from users t" > users.jsonl',
  },
  ory: { name: 'Ory', command: 'hydra list clients --format json > clients.json' },
  firebase: { name: 'Firebase', command: 'firebase auth:export people.json --format=json' },
  cognito: {
    name: 'Amazon Cognito',
    command: 'aws cognito-idp list-users --user-pool-id POOL > people.json',
  },
  okta: { name: 'Okta' },
  django: {
    name: 'Django',
    command: 'python manage.py dumpdata auth contenttypes --output people.json',
  },
  'aspnet-identity': { name: 'ASP.NET Core Identity' },
  ldif: { name: 'LDAP (LDIF)', command: 'slapcat > people.ldif' },
}
