import type { documents as english } from '../en/application-document.ts'

export const documents: typeof english = {
  kind: 'Ein MCP-Client: Claude, ChatGPT, VS Code',
  example: 'Seine client_id ist eine https-Adresse, und was dort steht, sagt, was er ist.',
  where: 'Was ist seine Adresse?',
  address: 'Seine Adresse (client_id)',
  addressHow:
    'Wie seine Fehlerseite hier sie nennt, etwa https://claude.ai/oauth/claude-code-client-metadata.',
  hosts: 'Weitere Hosts, zu denen er Personen schicken darf',
  hostsHow:
    'Einer je Zeile. Sein eigener Host und Programme auf dem Computer der Person brauchen keinen Eintrag.',
  permissionsHow: 'Personen werden jedes Mal gefragt. Er kann, was hier steht, und nicht mehr.',
  title: 'Wo er sagt, was er ist',
  about:
    'Sein Name, seine Rücksprungadressen und seine Schlüssel werden dort gelesen. Personen werden bei jeder Anmeldung gefragt.',
  host: 'Host',
  read: 'Gelesen',
  never: 'Noch nicht: die erste Anmeldung liest es',
  inline: 'Es kam mit der Registrierung; nichts wird abgerufen',
  failure: 'Der letzte Versuch',
  failed: (reason) => `Das Dokument: ${reason}.`,
  gone: 'Verschwunden seit',
}
